// Compiled once per target: the table of that target's softmax kernels.
#include "softmax/softmax_lines.h"

#include "rows/unit.h"
#include "softmax/softmax_forward.h"

namespace warpline {

#if WARPLINE_ON_GPU
const std::vector<RowLine>& gpu_softmax_lines() {
#else
const std::vector<RowLine>& simulator_softmax_lines() {
#endif
  static const std::vector<RowLine> table = [] {
    std::vector<RowLine> lines;
    collect_rows<SoftmaxForward<__half>>(lines);
    collect_rows<SoftmaxForward<__nv_bfloat16>>(lines);
    collect_rows<SoftmaxForward<float>>(lines);
    return lines;
  }();
  return table;
}

}  // namespace warpline
