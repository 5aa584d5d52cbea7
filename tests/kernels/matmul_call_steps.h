// The epilogue of warpline::matmul: rows stay rows and columns columns, whichever way round a
// kernel computes D.
#pragma once

#include "tests/kernels/matmul_call.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Runs `shape` with a step of every kind that has an operand; true if the kernel computed D
/// transposed.
inline bool check_steps(const CallShape& shape, unsigned seed, const Place& place,
                        const std::string& kernel = {}) {
  INFO(to_string(shape) << ", seed " << seed);
  const CallCase call(shape, seed);
  std::mt19937 random(seed);
  const auto vector = [&](std::int64_t extent) {
    auto result = std::make_unique<CallMatrix>(1, extent, shape.batch, ElementType::fp32,
                                               CallLayout{.padding = 3});
    result->fill(random);
    return result;
  };
  const auto row_scale = vector(shape.m);
  const auto column_scale = vector(shape.n);
  const auto row_bias = vector(shape.m);
  const auto column_bias = vector(shape.n);
  CallMatrix residual(shape.m, shape.n, shape.batch, shape.type,
                      {.column_major = true, .padding = 1, .shared = true});
  residual.fill(random);
  const CallMatrix stored(shape.m, shape.n, shape.batch, ElementType::fp32, {.padding = 5});

  const auto address = [](const CallMatrix& matrix) {
    return static_cast<const float*>(matrix.view(false).data);
  };
  const auto stride = [](const CallMatrix& matrix) { return matrix.view(false).batch_stride; };
  MatmulOptions options = call.options();
  options.kernel = kernel;
  options.epilogue = {epilogue::row_scale(address(*row_scale), stride(*row_scale)),
                      epilogue::column_bias(address(*column_bias), stride(*column_bias)),
                      epilogue::store(stored.view(false)),
                      epilogue::residual(residual.view(false), 0.5f),
                      epilogue::column_scale(address(*column_scale), stride(*column_scale)),
                      epilogue::row_bias(address(*row_bias), stride(*row_bias))};
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), options);
  INFO(plan.choice());
  plan.run(place);
  const auto until_stored = [&](double x, std::int64_t b, std::int64_t m, std::int64_t n) {
    return x * row_scale->value(b, 0, m) + column_bias->value(b, 0, n);
  };
  REQUIRE(call.error([&](double x, std::int64_t b, std::int64_t m, std::int64_t n) {
    return (until_stored(x, b, m, n) + 0.5 * residual.value(b, m, n)) *
               column_scale->value(b, 0, n) +
           row_bias->value(b, 0, m);
  }) == "");
  const std::vector<unsigned char> bytes = stored.output();
  REQUIRE_FALSE(stored.touched_beside(bytes));
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t m = 0; m < shape.m; ++m) {
      for (std::int64_t n = 0; n < shape.n; ++n) {
        const double expected = until_stored(call.product(b, m, n), b, m, n);
        const double found = stored.value_in(bytes, b, m, n);
        REQUIRE(std::abs(found - expected) <= 1e-4);
      }
    }
  }
  return plan.choice().find("exchanged") != std::string::npos;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
