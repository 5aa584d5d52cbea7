#include "samples/support/reference.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <random>
#include <set>

#include "samples/support/parallel.h"

namespace sample {

namespace {

double value_of(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }

/// Products up to this many multiplications are compared as a whole.
constexpr double small_product = 1 << 30;
/// Multiplications that a sample may cost: some seconds on a few cores.
constexpr double sample_cost = 1e10;

/// Sampled rows always include the first and the last: edges are where kernels fail.
std::vector<std::int64_t> rows_to_compare(std::int64_t m, std::int64_t n, std::int64_t k,
                                          std::uint64_t seed) {
  std::set<std::int64_t> rows;
  if (m == 0 || n == 0) {
    return {};
  }
  const double row_cost =
      static_cast<double>(n) * static_cast<double>(std::max<std::int64_t>(k, 1));
  if (m <= 1 << 16 && static_cast<double>(m) * row_cost <= small_product) {
    for (std::int64_t row = 0; row < m; ++row) {
      rows.insert(rows.end(), row);
    }
  } else {
    const auto count = static_cast<std::size_t>(std::clamp(sample_cost / row_cost, 4.0, 64.0));
    rows = {0, m - 1};
    std::mt19937_64 bits(seed);
    std::uniform_int_distribution<std::int64_t> any(0, m - 1);
    while (rows.size() < std::min(count, static_cast<std::size_t>(m))) {
      rows.insert(any(bits));
    }
  }
  return {rows.begin(), rows.end()};
}

/// Rows of A that are multiplied together with each row of B, so that the sums run side by side.
constexpr int batch = 8;

/// Their elements interleaved: [batch][k][row in the batch], zero for rows beyond the last.
std::vector<float> interleaved(const Matrix& a, const std::vector<std::int64_t>& rows) {
  const std::size_t batches = (rows.size() + batch - 1) / batch;
  std::vector<float> values(batches * static_cast<std::size_t>(a.columns) * batch);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::uint16_t* const row = a.elements.data() + rows[r] * a.stride;
    float* const to =
        values.data() + r / batch * static_cast<std::size_t>(a.columns) * batch + r % batch;
    for (std::int64_t k = 0; k < a.columns; ++k) {
      to[k * batch] = static_cast<float>(value_of(row[k]));
    }
  }
  return values;
}

std::array<double, batch> dot_products(const float* a, const double* b, std::int64_t k) {
  std::array<double, batch> sums{};
  for (std::int64_t i = 0; i < k; ++i) {
    for (int r = 0; r < batch; ++r) {
      sums[r] += static_cast<double>(a[i * batch + r]) * b[i];
    }
  }
  return sums;
}

/// Squares of differences and of what they are compared with.
struct Squares {
  double difference = 0;
  double expected = 0;

  double ratio() const {
    if (expected == 0) {
      return difference == 0 ? 0 : std::numeric_limits<double>::infinity() * difference;
    }
    return std::sqrt(difference / expected);
  }
};

/// Sums add(row, squares) over rows.
template <class Add>
double relative_norm(std::int64_t rows, const Add& add) {
  Squares sum;
  std::mutex lock;
  in_parallel(rows, [&](std::int64_t begin, std::int64_t end) {
    Squares part;
    for (std::int64_t row = begin; row < end; ++row) {
      add(row, part);
    }
    const std::lock_guard<std::mutex> held(lock);
    sum.difference += part.difference;
    sum.expected += part.expected;
  });
  return sum.ratio();
}

}  // namespace

Reference::Reference(const Matrix& a, const Matrix& b, std::uint64_t seed)
    : columns_(b.rows),
      rows_(rows_to_compare(a.rows, b.rows, a.columns, seed)),
      values_(rows_.size() * static_cast<std::size_t>(columns_)) {
  const std::int64_t k = a.columns;
  const std::vector<float> lines = interleaved(a, rows_);
  in_parallel(columns_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> b_row(static_cast<std::size_t>(k));
    for (std::int64_t column = begin; column < end; ++column) {
      const std::uint16_t* const bits = b.elements.data() + column * b.stride;
      std::transform(bits, bits + k, b_row.begin(), value_of);
      for (std::int64_t first = 0; first < rows(); first += batch) {
        const auto sums = dot_products(lines.data() + first * k, b_row.data(), k);
        for (std::int64_t r = first; r < std::min(first + batch, rows()); ++r) {
          values_[static_cast<std::size_t>(r * columns_ + column)] =
              sums[static_cast<std::size_t>(r - first)];
        }
      }
    }
  });
}

double Reference::relative_error(const Output& c) const {
  return relative_norm(rows(), [&](std::int64_t r, Squares& squares) {
    const std::uint16_t* const line = c.row(rows_[static_cast<std::size_t>(r)]);
    const double* const expected = values_.data() + r * columns_;
    for (std::int64_t i = 0; i < columns_; ++i) {
      squares.difference += std::pow(value_of(line[i]) - expected[i], 2);
      squares.expected += expected[i] * expected[i];
    }
  });
}

double relative_difference(const Output& c, const Output& other) {
  return relative_norm(c.rows(), [&](std::int64_t r, Squares& squares) {
    const std::uint16_t* const line = c.row(r);
    const std::uint16_t* const expected = other.row(r);
    for (std::int64_t i = 0; i < c.columns(); ++i) {
      const double wanted = value_of(expected[i]);
      squares.difference += std::pow(value_of(line[i]) - wanted, 2);
      squares.expected += wanted * wanted;
    }
  });
}

}  // namespace sample
