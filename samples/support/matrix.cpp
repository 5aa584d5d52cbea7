#include "samples/support/matrix.h"

#include <cuda_fp16.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <limits>
#include <random>

#include "samples/support/parallel.h"
#include "samples/support/usage_error.h"
#include "warpline/error.h"

namespace sample {

namespace {

constexpr std::uint16_t padding = 0x7f00;      // a NaN
constexpr std::uint16_t poison_bits = 0x7eab;  // a NaN that no arithmetic makes
constexpr std::uint16_t guard_bits = 0xc5a5;

/// Memory that this machine can give without swapping; "infinite" where it does not say.
double available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) == 0) {
      return std::stod(line.substr(line.find(':') + 1)) * 1024;
    }
  }
  return std::numeric_limits<double>::infinity();
}

/// SplitMix64 (Steele et al.): 64 random bits for each step of the state.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Drawing from a table of normal numbers is many times faster than making each.
const std::vector<std::uint16_t>& normal_table() {
  static const std::vector<std::uint16_t> table = [] {
    std::mt19937 bits(1);
    std::normal_distribution<float> normal(0.0F, 0.5F);
    std::vector<std::uint16_t> numbers(1 << 16);
    for (std::uint16_t& number : numbers) {
      number = __half_as_ushort(__float2half_rn(normal(bits)));
    }
    return numbers;
  }();
  return table;
}

}  // namespace

void require_sensible(const Size& size) {
  const auto check = [](const char* name, std::int64_t value) {
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
      throw UsageError(fmt::format("{} is {}; 0 to 2^31 - 1 are possible", name, value));
    }
  };
  check("M", size.m);
  check("N", size.n);
  check("K", size.k);
  const auto bytes = [](std::int64_t rows, std::int64_t columns) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(padded_stride(columns));
  };
  // C twice, for the vendor's result is kept beside ours, and 64 rows of A in fp32 for the check.
  const double needed = bytes(size.m, size.k) + bytes(size.n, size.k) + 2 * bytes(size.m, size.n) +
                        256.0 * static_cast<double>(size.k);
  if (const double available = available_bytes(); needed > available) {
    throw warpline::Error(
        fmt::format("M = {}, N = {}, K = {} need {:.1f} GB of host memory, available are {:.1f}",
                    size.m, size.n, size.k, needed * 1e-9, available * 1e-9));
  }
}

std::int64_t padded_stride(std::int64_t columns) {
  return std::max<std::int64_t>((columns + 7) / 8 * 8, 8);
}

Matrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix matrix{rows, columns, padded_stride(columns), {}};
  matrix.elements.resize(static_cast<std::size_t>(rows * matrix.stride));
  const std::vector<std::uint16_t>& table = normal_table();
  in_parallel(rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      // A row's numbers do not depend on how many threads there are.
      std::uint64_t state = seed;
      state = next_random(state) + static_cast<std::uint64_t>(row);
      state = next_random(state);
      std::uint16_t* const line = matrix.elements.data() + row * matrix.stride;
      std::uint64_t bits = 0;
      for (std::int64_t i = 0; i < columns; ++i) {
        bits = i % 4 == 0 ? next_random(state) : bits >> 16;
        line[i] = table[bits & 0xffff];
      }
      std::fill(line + columns, line + matrix.stride, padding);
    }
  });
  return matrix;
}

Output::Output(std::int64_t rows, std::int64_t columns)
    : rows_(rows),
      columns_(columns),
      stride_(padded_stride(columns)),
      image_(static_cast<std::size_t>(rows * stride_ + 2 * guard)) {
  poison();
}

void Output::poison() {
  std::fill(image_.begin(), image_.begin() + guard, guard_bits);
  std::fill(image_.end() - guard, image_.end(), guard_bits);
  in_parallel(rows_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      std::uint16_t* const line = elements() + r * stride_;
      std::fill(line, line + columns_, poison_bits);
      std::fill(line + columns_, line + stride_, guard_bits);
    }
  });
}

std::string Output::damage() const {
  const auto changed = [](const std::uint16_t* begin, const std::uint16_t* end) {
    return (end - begin) - std::count(begin, end, guard_bits);
  };
  const std::int64_t before = changed(image_.data(), row(0));
  const std::int64_t behind = changed(row(rows_), image_.data() + image_.size());
  std::atomic<std::int64_t> between = 0;
  std::atomic<std::int64_t> missing = 0;
  in_parallel(rows_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      between += changed(row(r) + columns_, row(r) + stride_);
      missing += std::count(row(r), row(r) + columns_, poison_bits);
    }
  });
  if (before + between + behind != 0) {
    return fmt::format("it wrote outside C: {} elements before, {} between the rows, {} behind",
                       before, between.load(), behind);
  }
  if (missing != 0) {
    return fmt::format("it left {} of {} elements of C unwritten", missing.load(),
                       rows_ * columns_);
  }
  return {};
}

}  // namespace sample
