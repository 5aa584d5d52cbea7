// Compiled once per target: the table of that target's softmax kernels.
#include "softmax/softmax_lines.h"

#include "rows/unit.h"
#include "softmax/softmax_forward.h"

namespace {

const std::vector<warpline::RowLine>& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<RowLine> lines = [] {
    std::vector<RowLine> all;
    collect_rows<SoftmaxForward<__half>>(all);
    collect_rows<SoftmaxForward<float>>(all);
    return all;
  }();
  return lines;
}

}  // namespace

#if WARPLINE_ON_GPU
const std::vector<warpline::RowLine>* warpline_softmax_gpu_lines() { return &table(); }
#else
const std::vector<warpline::RowLine>* warpline_softmax_simulator_lines() { return &table(); }
#endif
