#include "softmax/softmax.h"

#include <cmath>

#include "rows/tables.h"
#include "softmax/softmax_arguments.h"
#include "softmax/softmax_lines.h"

namespace warpline {

namespace {

using Table = const std::vector<RowLine>& (*)();

#if WARPLINE_ROWS_GPU
constexpr Table gpu_table = gpu_softmax_lines;
#else
constexpr Table gpu_table = nullptr;
#endif
#if WARPLINE_ROWS_SIMULATOR
constexpr Table simulator_table = simulator_softmax_lines;
#else
constexpr Table simulator_table = nullptr;
#endif

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
  return rows::prepare(place, rows::table_of(place, gpu_table, simulator_table, "softmax"),
                       "softmax", operands, &arguments);
}

void softmax(const Place& place, const MutableMatrix& y, const Matrix& x,
             const SoftmaxOptions& options) {
  softmax_plan(place, y, x, options).run(place);
}

}  // namespace warpline
