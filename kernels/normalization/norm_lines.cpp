// Compiled once per target: the table of that target's normalization kernels.
#include "normalization/norm_lines.h"

#include <algorithm>
#include <utility>

#include "normalization/norm_backward_unit.h"
#include "normalization/norm_forward.h"
#include "normalization/norm_gradients.h"
#include "rows/unit.h"

namespace {

const std::vector<warpline::RowLine>& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<RowLine> lines = [] {
    std::vector<RowLine> all;
    collect_rows<NormForward<__half>>(all);
    collect_rows<NormForward<float>>(all);
    collect_rows<NormToFp8<__half>>(all);
    collect_rows<NormToFp8<float>>(all);
    // Aligned rows first, and shorter ones first, whichever operation's.
    std::stable_sort(all.begin(), all.end(), [](const RowLine& a, const RowLine& b) {
      return std::pair(!a.aligned, a.capacity) < std::pair(!b.aligned, b.capacity);
    });
    return all;
  }();
  return lines;
}

const std::vector<warpline::RowLine>& backward_table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<RowLine> lines = [] {
    std::vector<RowLine> all;
    collect_norm_backward<__half>(all);
    collect_norm_backward<float>(all);
    return all;
  }();
  return lines;
}

constexpr warpline::NormGradientsLine gradients{warpline::prepare_norm_gradients,
                                                warpline::launch_norm_gradients};

}  // namespace

#if WARPLINE_ON_GPU
const std::vector<warpline::RowLine>* warpline_norm_gpu_lines() { return &table(); }
const std::vector<warpline::RowLine>* warpline_norm_backward_gpu_lines() {
  return &backward_table();
}
const warpline::NormGradientsLine* warpline_norm_gradients_gpu_line() { return &gradients; }
#else
const std::vector<warpline::RowLine>* warpline_norm_simulator_lines() { return &table(); }
const std::vector<warpline::RowLine>* warpline_norm_backward_simulator_lines() {
  return &backward_table();
}
const warpline::NormGradientsLine* warpline_norm_gradients_simulator_line() { return &gradients; }
#endif
