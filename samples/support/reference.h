// What C should be, and how far from it a result is.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/support/matrix.h"

namespace sample {

/// ||C - R|| / ||R|| must be below this; rounding to fp16 alone gives about 2e-4.
inline constexpr double error_limit = 1e-3;

/// A * B^T in fp64: all rows of a small product, some of a large one (first, last and random).
class Reference {
 public:
  Reference(const Matrix& a, const Matrix& b, std::uint64_t seed);

  /// Rows that are compared.
  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  /// Their numbers, ascending.
  const std::vector<std::int64_t>& row_numbers() const { return rows_; }

  /// ||C - R|| / ||R|| over those rows: NaN if C has one, 0 if both are zero.
  double relative_error(const Output& c) const;

 private:
  std::int64_t columns_;
  std::vector<std::int64_t> rows_;
  std::vector<double> values_;
};

/// ||C - other|| / ||other|| over all elements of two outputs of one shape.
double relative_difference(const Output& c, const Output& other);

}  // namespace sample
