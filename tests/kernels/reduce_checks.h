// Reductions against fp64 (or exact integers), on the unit's target.
#pragma once

#include <algorithm>

#include "reduction/reduce.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct ReduceCase {
  ReduceKind kind = ReduceKind::sum;
  ElementType type = ElementType::fp32;
  ElementType out_type = ElementType::fp32;
  RowShape x;
};

inline double exact_reduction(ReduceKind kind, const TypedRowsCase& x, std::int64_t row,
                              std::int64_t columns, double& of_magnitudes) {
  double result = kind == ReduceKind::minimum   ? std::numeric_limits<double>::infinity()
                  : kind == ReduceKind::maximum ? -std::numeric_limits<double>::infinity()
                                                : 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const double value = x.at(row, c);
    of_magnitudes += std::abs(value);
    result = kind == ReduceKind::sum       ? result + value
             : kind == ReduceKind::norm    ? result + value * value
             : kind == ReduceKind::minimum ? std::min(result, value)
                                           : std::max(result, value);
  }
  return kind == ReduceKind::norm ? std::sqrt(result) : result;
}

/// The bound of a sum: of the sum of magnitudes, a unit for each of the additions that a number
/// goes through, rows / (threads * elements of an access) in a thread and less than 40 beyond; and
/// out's rounding. Extremes are exact in x's type.
inline void check_reduction(const ReduceCase& how, const Stream& stream, unsigned seed) {
  INFO("kind " << static_cast<int>(how.kind) << ", " << name_of(how.type) << " " << to_string(how.x)
               << ", out " << name_of(how.out_type));
  TypedRowsCase x(how.type, how.x);
  x.fill_reals(seed);
  const TypedRowsCase out(how.out_type, {.rows = how.x.rows, .padding = 2, .offset = 1});
  reduce(place_of(stream), out.matrix(), x.matrix(), how.kind);
  const std::vector<double> got = out.values();
  REQUIRE(got.size() == static_cast<std::size_t>(how.x.rows));
  for (std::int64_t r = 0; r < how.x.rows; ++r) {
    double magnitudes = 0;
    const double wanted = exact_reduction(how.kind, x, r, how.x.columns, magnitudes);
    const double additions = 40 + static_cast<double>(how.x.columns) / 1024;
    const bool extreme = how.kind == ReduceKind::minimum || how.kind == ReduceKind::maximum;
    const double bound = (extreme ? 0 : additions * 6e-8 * magnitudes) +
                         rounding_of(how.out_type) * std::abs(wanted);
    INFO("row " << r << ": " << got[static_cast<std::size_t>(r)] << ", not " << wanted);
    REQUIRE((got[static_cast<std::size_t>(r)] == wanted ||
             std::abs(got[static_cast<std::size_t>(r)] - wanted) <= bound));
  }
}

/// Sums of integers, as large as they come: exact modulo 2^32.
inline void check_integer_sum(std::int64_t count, std::int64_t offset, const Stream& stream,
                              unsigned seed) {
  INFO(count << " integers, " << offset << " off");
  std::mt19937 random(seed);
  std::vector<std::int32_t> values(static_cast<std::size_t>(count + offset), 1 << 30);
  std::uint32_t wanted = 0;
  for (std::int64_t i = offset; i < count + offset; ++i) {
    const auto value = static_cast<std::uint32_t>(random());
    values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(value);
    wanted += value;
  }
  const DeviceArray<std::int32_t> x(values);
  const DeviceArray<std::int32_t> out(std::vector<std::int32_t>{7, 7});
  reduce(place_of(stream), row_major(out.data(), 1, 1),
         row_major(static_cast<const std::int32_t*>(x.data()) + offset, 1, count));
  CHECK(out.values()[0] == static_cast<std::int32_t>(wanted));
  CHECK(out.values()[1] == 7);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
