// RMSNorm and LayerNorm against fp64, on the unit's target.
#pragma once

#include "normalization/norm.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct NormCase {
  bool layer = false;
  ElementType x_type = ElementType::bf16;
  ElementType y_type = ElementType::bf16;
  ElementType weight_type = ElementType::bf16;
  RowShape x;
  RowShape y;
  bool weight = true;
  bool bias = false;
  bool residual = false;
  float epsilon = 1e-5f;
  /// Added to every x: LayerNorm must take it away without losing the rest.
  double shift = 0;
};

struct ExactNorm {
  std::vector<double> y;
  std::vector<double> sum;
  std::vector<double> rstd;
  std::vector<double> mean;
};

inline ExactNorm exact_norm(const NormCase& how, const TypedRowsCase& x,
                            const TypedRowsCase& residual, const TypedRowsCase& weight,
                            const TypedRowsCase& bias) {
  ExactNorm exact;
  const auto columns = static_cast<double>(how.x.columns);
  for (std::int64_t r = 0; r < how.x.rows; ++r) {
    std::vector<double> h;
    double total = 0;
    for (std::int64_t c = 0; c < how.x.columns; ++c) {
      h.push_back(x.at(r, c) + (how.residual ? residual.at(r, c) : 0));
      total += h.back();
    }
    const double mean = how.layer ? total / columns : 0;
    double squares = 0;
    for (const double value : h) {
      squares += (value - mean) * (value - mean);
    }
    const double rstd = 1 / std::sqrt(squares / columns + static_cast<double>(how.epsilon));
    for (std::int64_t c = 0; c < how.x.columns; ++c) {
      exact.y.push_back((h[static_cast<std::size_t>(c)] - mean) * rstd *
                            (how.weight ? weight.at(0, c) : 1) +
                        (how.bias ? bias.at(0, c) : 0));
    }
    exact.sum.insert(exact.sum.end(), h.begin(), h.end());
    exact.rstd.push_back(rstd);
    exact.mean.push_back(mean);
  }
  return exact;
}

/// Runs it and compares. The bound: half a unit in the last place of y's type; of fp32 arithmetic
/// less than 40 units for sums in threads of 32 and a tree, and for what the shift costs.
inline void check_norm(const NormCase& how, const Stream& stream, unsigned seed) {
  INFO((how.layer ? "LayerNorm" : "RMSNorm")
       << ": x " << name_of(how.x_type) << " " << to_string(how.x) << "; y " << name_of(how.y_type)
       << " " << to_string(how.y) << "; weight " << how.weight << " " << name_of(how.weight_type)
       << ", bias " << how.bias << ", residual " << how.residual << ", shift " << how.shift);
  const RowShape one_row{.rows = 1, .columns = how.x.columns};
  TypedRowsCase x(how.x_type, how.x);
  TypedRowsCase residual(how.x_type, how.x);
  TypedRowsCase weight(how.weight_type, one_row);
  TypedRowsCase bias(how.weight_type, one_row);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  x.fill([&](std::int64_t, std::int64_t) { return normal(random) + how.shift; });
  residual.fill_reals(seed + 1);
  weight.fill_reals(seed + 2);
  bias.fill_reals(seed + 3);
  const TypedRowsCase y(how.y_type, how.y);
  const TypedRowsCase sum(how.x_type, how.y);
  const TypedRowsCase rstd(ElementType::fp32, {.rows = how.x.rows});
  const TypedRowsCase mean(ElementType::fp32, {.rows = how.x.rows});
  NormOptions options{.epsilon = how.epsilon, .rstd = static_cast<float*>(rstd.matrix().data)};
  if (how.weight) {
    options.weight = weight.matrix();
  }
  if (how.bias) {
    options.bias = bias.matrix();
  }
  if (how.residual) {
    options.residual = residual.matrix();
    options.sum = sum.matrix();
  }
  if (how.layer) {
    options.mean = static_cast<float*>(mean.matrix().data);
    layer_norm(place_of(stream), y.matrix(), x.matrix(), options);
  } else {
    rms_norm(place_of(stream), y.matrix(), x.matrix(), options);
  }
  const ExactNorm exact = exact_norm(how, x, residual, weight, bias);
  const double arithmetic = (40 + 4 * std::abs(how.shift)) * 6e-8;
  CHECK(relative_error(y.values(), exact.y) < 1.01 * rounding_of(how.y_type) + arithmetic);
  CHECK(relative_error(rstd.values(), exact.rstd) < arithmetic);
  if (how.layer) {
    CHECK(relative_error(mean.values(), exact.mean) < arithmetic * 20);
  }
  if (how.residual) {
    CHECK(relative_error(sum.values(), exact.sum) < 1.01 * rounding_of(how.x_type) + 6e-8);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
