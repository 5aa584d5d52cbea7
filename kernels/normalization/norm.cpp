#include "normalization/norm.h"

#include <tuple>

#include "normalization/norm_arguments.h"
#include "normalization/norm_lines.h"
#include "rows/tables.h"

extern "C" {
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_norm_gpu_lines();
[[gnu::weak]] const std::vector<warpline::RowLine>* warpline_norm_simulator_lines();
}

namespace warpline {

namespace {

TypedRows typed(const Matrix& matrix) {
  return {const_cast<void*>(matrix.data), matrix.row_stride, matrix.type};
}

PreparedRows plan(bool layer, const char* call, const Place& place, const MutableMatrix& y,
                  const Matrix& x, const NormOptions& options) {
  std::vector<rows::Operand> operands = {{.name = "x", .matrix = x, .streamed = true}};
  NormArguments arguments{.y = typed(y),
                          .rstd = options.rstd,
                          .mean = options.mean,
                          .epsilon = options.epsilon,
                          .of_one = 1 / static_cast<float>(x.columns),
                          .layer = layer};
  if (!(options.epsilon >= 0)) {
    throw Error(std::string(call) + ": epsilon is " + std::to_string(options.epsilon) +
                "; it is 0 or more");
  }
  if (options.residual.data != nullptr) {
    operands.push_back({.name = "residual", .matrix = options.residual, .streamed = true});
  }
  operands.push_back({.name = "y", .matrix = y, .written = true});
  if (options.sum.data != nullptr) {
    if (options.residual.data == nullptr) {
      throw Error(std::string(call) + ": sum is given, but no residual: it would be x");
    }
    operands.push_back({.name = "sum", .matrix = options.sum, .written = true});
    arguments.sum = typed(options.sum);
  }
  for (const auto& [name, from, to] : {std::tuple{"weight", &options.weight, &arguments.weight},
                                       std::tuple{"bias", &options.bias, &arguments.bias}}) {
    if (from->data != nullptr) {
      if (from->rows != 1) {
        throw Error(std::string(call) + ": " + name + " has " + std::to_string(from->rows) +
                    " rows; it has one");
      }
      operands.push_back({.name = name, .matrix = *from, .broadcast = true});
      *to = typed(*from);
    }
  }
  const auto& table = rows::table_of(place, warpline_norm_gpu_lines, warpline_norm_simulator_lines,
                                     "normalization");
  return rows::prepare(place, table, call, operands, &arguments);
}

}  // namespace

PreparedRows rms_norm_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                           const NormOptions& options) {
  if (options.mean != nullptr) {
    throw Error("rms_norm: mean is given, but it takes none");
  }
  return plan(false, "rms_norm", place, y, x, options);
}

PreparedRows layer_norm_plan(const Place& place, const MutableMatrix& y, const Matrix& x,
                             const NormOptions& options) {
  return plan(true, "layer_norm", place, y, x, options);
}

void rms_norm(const Place& place, const MutableMatrix& y, const Matrix& x,
              const NormOptions& options) {
  rms_norm_plan(place, y, x, options).run(place);
}

void layer_norm(const Place& place, const MutableMatrix& y, const Matrix& x,
                const NormOptions& options) {
  layer_norm_plan(place, y, x, options).run(place);
}

}  // namespace warpline
