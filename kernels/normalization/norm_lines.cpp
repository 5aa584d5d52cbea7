// Compiled once per target: the table of that target's normalization kernels.
#include "normalization/norm_lines.h"

#include "normalization/norm_backward_unit.h"
#include "normalization/norm_forward.h"
#include "rows/unit.h"

namespace {

const std::vector<warpline::RowLine>& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<RowLine> lines = [] {
    std::vector<RowLine> all;
    collect_rows<NormForward<__half>>(all);
    collect_rows<NormForward<float>>(all);
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

}  // namespace

#if WARPLINE_ON_GPU
const std::vector<warpline::RowLine>* warpline_norm_gpu_lines() { return &table(); }
const std::vector<warpline::RowLine>* warpline_norm_backward_gpu_lines() {
  return &backward_table();
}
#else
const std::vector<warpline::RowLine>* warpline_norm_simulator_lines() { return &table(); }
const std::vector<warpline::RowLine>* warpline_norm_backward_simulator_lines() {
  return &backward_table();
}
#endif
