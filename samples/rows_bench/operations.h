// The operations on rows that are measured, what moves in each, and what they need beside rows.
#pragma once

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "samples/rows_bench/suite.h"
#include "tensor/matrix.h"
#include "tensor/place.h"

namespace sample::rows {

/// Bytes that an operation must move on rows of 16-bit numbers.
struct Traffic {
  int reads = 1;
  double writes = 1;
  /// Numbers that there is one of for each row.
  std::size_t per_row = 0;

  double bytes(const Shape& shape) const {
    return static_cast<double>(shape.rows) *
           (2.0 * (reads + writes) * static_cast<double>(shape.columns) +
            static_cast<double>(per_row));
  }
};
Traffic traffic_of(const std::string& operation);

/// Numbers for each row, as cross-entropy takes and makes them.
class RowNumbers {
 public:
  RowNumbers(const Shape& shape, std::size_t sets);
  std::int64_t* targets(std::size_t set) const;
  float* lse(std::size_t set) const { return floats(set, 0); }
  float* dloss(std::size_t set) const { return floats(set, 1); }
  float* loss(std::size_t set) const { return floats(set, 2); }

 private:
  float* floats(std::size_t set, std::size_t which) const;
  std::size_t rows_;
  std::size_t each_;
  DeviceMemory memory_;
};

/// What one launch works on.
struct Operands {
  warpline::Matrix x;
  /// The second input, if there are two.
  warpline::Matrix second;
  warpline::MutableMatrix y;
  /// A row of x's columns.
  warpline::Matrix weight;
  const RowNumbers* numbers = nullptr;
  std::size_t set = 0;
  /// Rows of x's columns, where gradients of weight and bias go.
  warpline::MutableMatrix dweight = {};
  warpline::MutableMatrix dbias = {};
};

/// A plan, of whatever call.
struct Prepared {
  std::function<void(const warpline::Place&)> run;
  std::string kernel;
};
Prepared prepare(const std::string& operation, const Operands& operands);

}  // namespace sample::rows

#endif
