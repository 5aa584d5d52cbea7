// The operations on rows that are measured, what moves in each, ready to run on either target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "samples/rows_bench/suite.h"
#include "tensor/matrix.h"
#include "tensor/place.h"

namespace sample::rows {

/// As --op takes them. log_softmax_backward, the last, moves what another does: measured only if
/// asked for.
const std::vector<std::string>& operation_names();

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
struct PerRow {
  std::int64_t* targets = nullptr;
  float* lse = nullptr;
  float* dloss = nullptr;
  float* loss = nullptr;
};

/// What one launch works on.
struct Operands {
  warpline::Matrix x;
  /// The second input, if there are two.
  warpline::Matrix second;
  warpline::MutableMatrix y;
  /// A row of x's columns.
  warpline::Matrix weight;
  PerRow numbers = {};
  /// Rows of x's columns, where gradients of weight and bias go.
  warpline::MutableMatrix dweight = {};
  warpline::MutableMatrix dbias = {};
};

/// A plan, of whatever call.
struct Prepared {
  std::function<void(const warpline::Place&)> run;
  std::string kernel;
};

/// Of bf16, but for reductions: those are measured otherwise (measure_reductions.h), and here, for
/// their timeline, take x and y as they are: sum and argmax of each row, columns of each column.
Prepared prepare(const std::string& operation, const warpline::Place& place,
                 const Operands& operands);

}  // namespace sample::rows
