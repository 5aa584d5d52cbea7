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

[[noreturn]] void refuse(const char* call, const std::string& what) {
  throw Error(std::string(call) + ": " + what);
}

void check_fp8(const char* call, const NormFp8& fp8, const std::vector<rows::Operand>& operands) {
  const Matrix& x = operands.front().matrix;
  if (x.rows <= 0 || x.columns <= 0) {
    return;
  }
  if (x.rows > 1 && fp8.row_stride < x.columns) {
    refuse(call, "fp8: its row stride is " + std::to_string(fp8.row_stride) +
                     " bytes, less than its " + std::to_string(x.columns) + " columns");
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(fp8.data);
  const auto end = begin + static_cast<std::uintptr_t>((x.rows - 1) * fp8.row_stride + x.columns);
  for (const rows::Operand& operand : operands) {
    const Matrix& m = operand.matrix;
    const auto other = reinterpret_cast<std::uintptr_t>(m.data);
    const auto bytes = ((m.rows - 1) * m.row_stride + m.columns) * bytes_of(m.type);
    if (m.data != nullptr && begin < other + static_cast<std::uintptr_t>(bytes) && other < end) {
      refuse(call, std::string("fp8 and ") + operand.name + " overlap");
    }
  }
}

PreparedRows plan(bool layer, const char* call, const Place& place, const MutableMatrix& y,
                  const Matrix& x, const NormOptions& options) {
  std::vector<rows::Operand> operands = {{.name = "x", .matrix = x, .streamed = true}};
  NormArguments arguments{.y = typed(y),
                          .rstd = options.rstd,
                          .mean = options.mean,
                          .fp8 = options.fp8.data,
                          .fp8_stride = options.fp8.row_stride,
                          .fp8_scales = options.fp8.scales,
                          .epsilon = options.epsilon,
                          .of_one = 1 / static_cast<float>(x.columns),
                          .layer = layer};
  if (!(options.epsilon >= 0)) {
    refuse(call, "epsilon is " + std::to_string(options.epsilon) + "; it is 0 or more");
  }
  if (options.residual.data != nullptr) {
    operands.push_back({.name = "residual", .matrix = options.residual, .streamed = true});
  }
  if (y.data != nullptr || options.fp8.data == nullptr) {
    operands.push_back({.name = "y", .matrix = y, .written = true});
  }
  if (options.sum.data != nullptr) {
    if (options.residual.data == nullptr) {
      refuse(call, "sum is given, but no residual: it would be x");
    }
    operands.push_back({.name = "sum", .matrix = options.sum, .written = true});
    arguments.sum = typed(options.sum);
  }
  for (const auto& [name, from, to] : {std::tuple{"weight", &options.weight, &arguments.weight},
                                       std::tuple{"bias", &options.bias, &arguments.bias}}) {
    if (from->data != nullptr) {
      if (from->rows != 1) {
        refuse(call,
               std::string(name) + " has " + std::to_string(from->rows) + " rows; it has one");
      }
      operands.push_back({.name = name, .matrix = *from, .broadcast = true});
      *to = typed(*from);
    }
  }
  const std::tuple<const char*, float*, bool> of_rows[] = {
      {"rstd", options.rstd, options.rstd != nullptr},
      {"mean", options.mean, options.mean != nullptr},
      {"fp8.scales", options.fp8.scales, options.fp8.data != nullptr}};
  for (const auto& [name, data, given] : of_rows) {
    if (given) {
      operands.push_back({.name = name,
                          .matrix = {data, ElementType::fp32, x.rows, 1, 1},
                          .written = true,
                          .per_row = true});
    }
  }
  if (options.fp8.data != nullptr) {
    check_fp8(call, options.fp8, operands);
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
