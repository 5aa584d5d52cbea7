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

float value_of(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }

Rows rows_of(const Matrix& matrix) {
  return {matrix.rows, matrix.columns, [&matrix](std::int64_t row, float* values) {
            const std::uint16_t* const bits = matrix.elements.data() + row * matrix.stride;
            std::transform(bits, bits + matrix.columns, values, value_of);
          }};
}

/// Products up to this many multiplications are compared as a whole.
constexpr double small_product = 1 << 30;

/// Sampled rows always include the first and the last: edges are where kernels fail.
std::vector<std::int64_t> rows_to_compare(std::int64_t m, std::int64_t n, std::int64_t k,
                                          std::uint64_t seed, double sample_cost) {
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
std::vector<float> interleaved(const Rows& a, const std::vector<std::int64_t>& rows) {
  const std::size_t batches = (rows.size() + batch - 1) / batch;
  std::vector<float> values(batches * static_cast<std::size_t>(a.columns) * batch);
  std::vector<float> row(static_cast<std::size_t>(a.columns));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    a.read(rows[r], row.data());
    float* const to =
        values.data() + r / batch * static_cast<std::size_t>(a.columns) * batch + r % batch;
    for (std::int64_t k = 0; k < a.columns; ++k) {
      to[k * batch] = row[static_cast<std::size_t>(k)];
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
    : Reference(rows_of(a), rows_of(b), seed, usual_sample_cost) {}

Reference::Reference(const Rows& a, const Rows& b, std::uint64_t seed, double sample_cost)
    : columns_(b.count),
      rows_(rows_to_compare(a.count, b.count, a.columns, seed, sample_cost)),
      values_(rows_.size() * static_cast<std::size_t>(columns_)) {
  const std::int64_t k = a.columns;
  const std::vector<float> lines = interleaved(a, rows_);
  in_parallel(columns_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> values(static_cast<std::size_t>(k));
    std::vector<double> b_row(static_cast<std::size_t>(k));
    for (std::int64_t column = begin; column < end; ++column) {
      b.read(column, values.data());
      std::copy(values.begin(), values.end(), b_row.begin());
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
  return relative_error(Rows{c.rows(), c.columns(), [&c](std::int64_t row, float* values) {
                               std::transform(c.row(row), c.row(row) + c.columns(), values,
                                              value_of);
                             }});
}

double Reference::relative_error(const Rows& c) const {
  return relative_norm(rows(), [&](std::int64_t r, Squares& squares) {
    std::vector<float> line(static_cast<std::size_t>(columns_));
    c.read(rows_[static_cast<std::size_t>(r)], line.data());
    const double* const expected = values_.data() + r * columns_;
    for (std::int64_t i = 0; i < columns_; ++i) {
      squares.difference +=
          std::pow(static_cast<double>(line[static_cast<std::size_t>(i)]) - expected[i], 2);
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
      squares.difference += std::pow(static_cast<double>(value_of(line[i])) - wanted, 2);
      squares.expected += wanted * wanted;
    }
  });
}

}  // namespace sample
