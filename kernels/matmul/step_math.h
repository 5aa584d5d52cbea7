// The formulas of epilogue steps, one element at a time, in fp32.
#pragma once

#include <cmath>

#include "warpline/isa/math.h"
#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::step_math {

/// 1 / (1 + exp(-x)), relative error (|x| + 8) 2^-23: the product with log2(e) is rounded, and the
/// special-function unit is off by 2^-22 and by an ulp. Zero below x = -87.
WARPLINE_DEVICE float sigmoid(float x) {
  constexpr float log2_e = 1.44269504f;
  return isa::reciprocal_approximate(1.0f + isa::exp2_approximate(-x * log2_e));
}

/// As in the formula, minus infinity gives NaN.
WARPLINE_DEVICE float silu(float x) { return x * sigmoid(x); }

/// Absolute error |x| 2^-22: fp32's, since 1 + erf cancels for negative x.
WARPLINE_DEVICE float gelu(float x) {
  constexpr float inverse_sqrt_2 = 0.707106781f;
  return 0.5f * x * (1.0f + erff(x * inverse_sqrt_2));
}

/// (1 + tanh(u)) / 2 is sigmoid(2u), which has no cancellation.
WARPLINE_DEVICE float gelu_tanh(float x) {
  constexpr float twice_sqrt_2_over_pi = 1.59576912f;
  return x * sigmoid(twice_sqrt_2_over_pi * (x + 0.044715f * x * x * x));
}

/// Comparisons are false for NaN, which passes.
WARPLINE_DEVICE float relu(float x) { return x < 0.0f ? 0.0f : x; }
WARPLINE_DEVICE float clamp(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

}  // namespace warpline::inline WARPLINE_TARGET::step_math
