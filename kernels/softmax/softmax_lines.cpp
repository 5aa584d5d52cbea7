// Compiled once per target: the tables of that target's softmax kernels.
#include "softmax/softmax_lines.h"

#include "rows/unit.h"
#include "softmax/softmax_backward.h"
#include "softmax/softmax_forward.h"

namespace {

template <template <class> class Op>
const std::vector<warpline::RowLine>& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<RowLine> lines = [] {
    std::vector<RowLine> all;
    collect_rows<Op<__half>>(all);
    collect_rows<Op<float>>(all);
    return all;
  }();
  return lines;
}

}  // namespace

#if WARPLINE_ON_GPU
const std::vector<warpline::RowLine>* warpline_softmax_gpu_lines() {
  return &table<warpline::SoftmaxForward>();
}
const std::vector<warpline::RowLine>* warpline_softmax_backward_gpu_lines() {
  return &table<warpline::SoftmaxBackward>();
}
#else
const std::vector<warpline::RowLine>* warpline_softmax_simulator_lines() {
  return &table<warpline::SoftmaxForward>();
}
const std::vector<warpline::RowLine>* warpline_softmax_backward_simulator_lines() {
  return &table<warpline::SoftmaxBackward>();
}
#endif
