// Matmuls with an epilogue of the test's own, on either target.
#pragma once

#include <random>

#include "matmul/composed_matmul.h"
#include "tests/kernels/placed_matrix.h"
#include "tests/kernels/step_reference.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

// [function]
/// factor * x^2 where x is above zero, and column - row elsewhere.
struct SquareAboveZero {
  float factor;
  WARPLINE_DEVICE float operator()(float x, const OutElement& at) const {
    return x > 0.0f ? factor * x * x : static_cast<float>(at.column - at.row);
  }
};

inline constexpr PersistentConfig small_tiles{.block_m = 128, .block_n = 64, .stages = 3};

/// D = SquareAboveZero(A * B / 2 + bias), a batch of two.
inline void square_above_zero(const Place& place, const MutableMatrix& d, const Matrix& a,
                              const Matrix& b, const __nv_bfloat16* bias) {
  matmul_with<__half, ElementType::fp32, small_tiles>(
      place, d, a, b, then(ColumnBias<__nv_bfloat16>{bias}, SquareAboveZero{0.5f}),
      {.alpha = 0.5f, .batch = 2});
}
// [function]

/// A, B and D, exact sums: small integers over 8.
class ComposedCase {
 public:
  ComposedCase(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
               Placement::Way b_way, unsigned seed)
      : a_(ElementType::fp16, m, k, batch, aligned(Placement::Way::rows, k)),
        b_(ElementType::fp16, k, n, batch, aligned(b_way, b_way == Placement::Way::rows ? n : k)),
        k_(k) {
    std::mt19937 random(seed);
    const auto one = [&] { return static_cast<double>(static_cast<int>(random() % 5) - 2) / 8; };
    a_.fill(one);
    b_.fill(one);
    a_.upload();
    b_.upload();
  }

  Matrix a() const { return view(a_); }
  Matrix b() const { return view(b_); }
  static MutableMatrix view(const PlacedMatrix& matrix) {
    return {matrix.data(),       matrix.type(),          matrix.rows(),        matrix.columns(),
            matrix.row_stride(), matrix.column_stride(), matrix.batch_stride()};
  }

  double sum(std::int64_t matrix, std::int64_t m, std::int64_t n) const {
    double result = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
      result += a_.value(matrix, m, i) * b_.value(matrix, i, n);
    }
    return result;
  }

 private:
  static Placement aligned(Placement::Way way, std::int64_t inner) {
    return {.way = way, .pad = (inner + 7) / 8 * 8 - inner + 8};
  }

  PlacedMatrix a_;
  PlacedMatrix b_;
  std::int64_t k_;
};

inline constexpr PersistentConfig small_tiles_along_n{
    .block_m = 128, .block_n = 64, .stages = 3, .b = isa::Major::mn};

inline void check_composed(const Place& place, std::int64_t m, std::int64_t n, std::int64_t k,
                           unsigned seed) {
  INFO(m << " x " << n << " x " << k << ", seed " << seed);
  const ComposedCase problem(m, n, k, 2, Placement::Way::columns, seed);
  PlacedMatrix bias(ElementType::bf16, 1, n, 1, {.offset = 1});
  std::mt19937 random(seed);
  bias.fill([&] { return std::uniform_real_distribution<double>(-2, 2)(random); });
  bias.upload();
  PlacedMatrix d(ElementType::fp32, m, n, 2, {.pad = 3, .offset = 1});
  d.upload();
  square_above_zero(place, ComposedCase::view(d), problem.a(), problem.b(),
                    static_cast<const __nv_bfloat16*>(bias.data()));
  REQUIRE(d.error([&](std::int64_t matrix, std::int64_t row, std::int64_t column) {
    const Bounded y = rounded_sum(rounded_product({problem.sum(matrix, row, column), 0}, 0.5),
                                  bias.value(0, 0, column));
    if (y.value <= 0) {
      return Bounded{static_cast<double>(column - row), 0};
    }
    const double square = 0.5 * y.value * y.value;
    return Bounded{square, std::abs(y.value) * y.margin + 3 * square * half_ulp};
  }) == "");
}

/// D = silu(A * G) * (A * V).
template <PersistentConfig Config>
void check_gated(const Place& place, std::int64_t m, std::int64_t n, std::int64_t k,
                 unsigned seed) {
  INFO(m << " x " << n << " x " << k << ", seed " << seed);
  const auto way = Config.b == isa::Major::k ? Placement::Way::columns : Placement::Way::rows;
  const ComposedCase problem(m, 2 * n, k, 2, way, seed);
  PlacedMatrix d(ElementType::fp16, m, n, 2, {.pad = 1, .offset = 3});
  d.upload();
  gated_matmul_with<__half, ElementType::fp16, Config>(place, ComposedCase::view(d), problem.a(),
                                                       problem.b(), SwiGlu{}, {.batch = 2});
  REQUIRE(d.error([&](std::int64_t matrix, std::int64_t row, std::int64_t column) {
    const Bounded gate =
        step_of({.kind = EpilogueStep::Kind::silu}, {problem.sum(matrix, row, column), 0}, 0);
    return rounded_product(gate, problem.sum(matrix, row, n + column));
  }) == "");
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
