// What C should be, and how far from it a result is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "samples/support/matrix.h"

namespace sample {

/// ||C - R|| / ||R|| must be below this; rounding to fp16 alone gives about 2e-4.
inline constexpr double error_limit = 1e-3;

/// A matrix wherever and of whatever type it is: read(row, values) writes a row's values, exactly.
struct Rows {
  std::int64_t count = 0;
  std::int64_t columns = 0;
  std::function<void(std::int64_t row, float* values)> read;
};

/// Multiplications that a sample may cost, if nothing is said: some seconds on a few cores.
inline constexpr double usual_sample_cost = 1e10;

/// A * B^T in fp64: all rows of a small product, some of a large one (first, last and random).
class Reference {
 public:
  Reference(const Matrix& a, const Matrix& b, std::uint64_t seed);
  /// At least 4 rows, however much less `sample_cost` is.
  Reference(const Rows& a, const Rows& b, std::uint64_t seed, double sample_cost);

  /// Rows that are compared.
  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  /// Their numbers, ascending.
  const std::vector<std::int64_t>& row_numbers() const { return rows_; }

  /// ||C - R|| / ||R|| over those rows: NaN if C has one, 0 if both are zero.
  double relative_error(const Output& c) const;
  double relative_error(const Rows& c) const;

 private:
  std::int64_t columns_;
  std::vector<std::int64_t> rows_;
  std::vector<double> values_;
};

/// ||C - other|| / ||other|| over all elements of two outputs of one shape.
double relative_difference(const Output& c, const Output& other);

}  // namespace sample
