// The operands of a norm's backward pass, as checks and plans take them. Host code.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "normalization/norm_backward.h"
#include "rows/checks.h"
#include "warpline/error.h"

namespace warpline::norm_backward {

inline TypedRows typed(const Matrix& matrix) {
  return {const_cast<void*>(matrix.data), matrix.row_stride, matrix.type};
}

[[noreturn]] inline void refuse(const char* call, const std::string& what) {
  throw Error(std::string(call) + ": " + what);
}

/// rstd or mean.
inline rows::Operand of_rows(const char* name, const float* data, std::int64_t rows) {
  return {.name = name, .matrix = {data, ElementType::fp32, rows, 1, 1}, .per_row = true};
}

inline std::vector<rows::Operand> operands_of(const char* call, const MutableMatrix& dx,
                                              const Matrix& dy, const Matrix& h,
                                              const NormBackwardOptions& options) {
  if (dx.type != h.type) {
    refuse(call, std::string("dx is ") + name_of(dx.type) + ", and the rows are " +
                     name_of(h.type) + ": it needs the same type");
  }
  std::vector<rows::Operand> operands = {{.name = "h", .matrix = h, .streamed = true},
                                         {.name = "dy", .matrix = dy, .streamed = true}};
  if (options.dsum.data != nullptr) {
    operands.push_back({.name = "dsum", .matrix = options.dsum, .streamed = true});
  }
  operands.push_back({.name = "dx", .matrix = dx, .written = true});
  const std::tuple<const char*, Matrix, bool> of_columns[] = {{"weight", options.weight, false},
                                                              {"dweight", options.dweight, true},
                                                              {"dbias", options.dbias, true}};
  for (const auto& [name, matrix, written] : of_columns) {
    if (matrix.data == nullptr) {
      continue;
    }
    if (matrix.rows != 1) {
      refuse(call, std::string(name) + " has " + std::to_string(matrix.rows) + " rows; it has one");
    }
    operands.push_back({.name = name, .matrix = matrix, .written = written, .broadcast = true});
  }
  return operands;
}

}  // namespace warpline::norm_backward
