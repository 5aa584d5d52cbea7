#include "softmax/softmax.h"

#include <cmath>

#include "rows/tables.h"
#include "softmax/softmax_arguments.h"
#include "softmax/softmax_backward_arguments.h"
#include "softmax/softmax_lines.h"

extern "C" {
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_simulator_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_backward_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_softmax_backward_simulator_lines();
}

namespace warpline {

namespace {

constexpr float log2_e = 1.4426950408889634f;

}  // namespace

PreparedRows softmax_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                          const SoftmaxOptions& options) {
  std::vector<rows::Operand> operands = {{.name = "x", .matrix = x, .streamed = true},
                                         {.name = "y", .matrix = y, .written = true}};
  SoftmaxArguments arguments{.y = {y.data, y.row_stride, y.type},
                             .scale = options.scale * log2_e,
                             .logarithm = options.logarithm};
  if (std::isnan(options.scale)) {
    throw Error("softmax: scale is NaN");
  }
  if (options.mask.data != nullptr) {
    operands.push_back({.name = "mask", .matrix = options.mask, .broadcast = true});
    arguments.mask = {const_cast<void*>(options.mask.data), options.mask.row_stride,
                      options.mask.type};
    arguments.mask_rows = options.mask.rows;
  }
  if (options.causal_rows < 0) {
    throw Error("softmax: causal_rows is " + std::to_string(options.causal_rows) +
                "; sequences have 1 or more rows (0: all rows are one)");
  }
  if (options.causal) {
    arguments.causal_rows = options.causal_rows != 0 ? options.causal_rows : x.rows;
    arguments.causal_offset = options.causal_offset;
  }
  const auto& table = rows::table_of(place, warpline_softmax_gpu_lines,
                                     warpline_softmax_simulator_lines, "softmax");
  return rows::prepare(place, table, "softmax", operands, &arguments);
}

void softmax(const Place& place, const MutableMatrix& y, const Matrix& x,
             const SoftmaxOptions& options) {
  softmax_plan(place, y, x, options).run(place);
}

PreparedRows softmax_backward_plan(const Place& place, const MutableMatrix& dx, const Matrix& y,
                                   const Matrix& dy, const SoftmaxBackwardOptions& options) {
  const std::vector<rows::Operand> operands = {{.name = "y", .matrix = y, .streamed = true},
                                               {.name = "dy", .matrix = dy, .streamed = true},
                                               {.name = "dx", .matrix = dx, .written = true}};
  if (std::isnan(options.scale)) {
    throw Error("softmax_backward: scale is NaN");
  }
  const SoftmaxBackwardArguments arguments{.dx = {dx.data, dx.row_stride, dx.type},
                                           .bf16 = y.type == ElementType::bf16,
                                           .softmax = !options.logarithm,
                                           .scale = options.scale};
  const auto& table = rows::table_of(place, warpline_softmax_backward_gpu_lines,
                                     warpline_softmax_backward_simulator_lines, "softmax");
  return rows::prepare(place, table, "softmax_backward", operands, &arguments);
}

void softmax_backward(const Place& place, const MutableMatrix& dx, const Matrix& y,
                      const Matrix& dy, const SoftmaxBackwardOptions& options) {
  softmax_backward_plan(place, dx, y, dy, options).run(place);
}

}  // namespace warpline
