// The formulas of epilogue steps in fp64, with a bound of the error that fp32 may make.
#pragma once

#include <algorithm>
#include <cmath>

#include "matmul/epilogue_steps.h"

namespace warpline::tests {

/// A number, and how far from it an fp32 evaluation may be.
struct Bounded {
  double value = 0;
  double margin = 0;
};

inline constexpr double half_ulp = 0x1p-24;  // of fp32, relative

inline Bounded rounded_sum(Bounded x, double summand) {
  const double value = x.value + summand;
  return {value, x.margin + (std::abs(value) + x.margin) * half_ulp};
}

inline Bounded rounded_product(Bounded x, double factor) {
  const double value = x.value * factor;
  const double margin = x.margin * std::abs(factor);
  return {value, margin + (std::abs(value) + margin) * half_ulp};
}

inline constexpr double steepest = 1.13;

/// x / (1 + exp(-z)), where z is known but for some units in the last place: a relative error e of
/// z is one of (1 - sigmoid(z)) |z| e in the result. Below z = -88, exp overflows and the result is
/// 0.
inline Bounded times_sigmoid(Bounded x, double z, double units) {
  constexpr double smallest = 1e-35;
  const double sigmoid = 1 / (1 + std::exp(-z));
  const double value = x.value * sigmoid;
  const double relative = ((1 - sigmoid) * std::abs(z) * units + 8) * 2 * half_ulp;
  return {value, x.margin * steepest + std::abs(value) * relative + smallest};
}

/// What a step makes of x; `v` is the operand's element. The derivatives of gelu, gelu_tanh and
/// silu stay below 1.13; their own errors are those that step_math.h documents.
inline Bounded step_of(const EpilogueStep& step, Bounded x, double v) {
  using Kind = EpilogueStep::Kind;
  const double exact = x.value;
  switch (step.kind) {
    case Kind::row_bias:
    case Kind::column_bias:
      return rounded_sum(x, v);
    case Kind::row_scale:
    case Kind::column_scale:
      return rounded_product(x, v);
    case Kind::residual:
      return rounded_sum(x, static_cast<double>(step.first) * v);
    case Kind::scale:
      return rounded_product(x, step.first);
    case Kind::relu:
      return {std::max(exact, 0.0), x.margin};
    case Kind::clamp:
      return {std::min<double>(std::max<double>(exact, step.first), step.second), x.margin};
    case Kind::gelu:
      return {exact / 2 * (1 + std::erf(exact / std::sqrt(2.0))),
              x.margin * steepest + std::abs(exact) * 0x1p-22};
    case Kind::gelu_tanh: {
      const double u = std::sqrt(2 / M_PI) * (exact + 0.044715 * exact * exact * exact);
      // 2u is off by four roundings, and by those of its constants.
      return times_sigmoid(x, 2 * u, 4);
    }
    case Kind::silu:
      return times_sigmoid(x, exact, 1);
    case Kind::store:
    case Kind::amax:
      return x;
  }
  return {NAN, 0};
}

}  // namespace warpline::tests
