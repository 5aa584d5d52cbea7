// Approximations of the special-function unit (PTX ISA, "ex2", "lg2", "rsqrt", "rcp"). The
// simulator computes them exactly rounded, so the targets differ by the errors that are given here.
#pragma once

#include <cmath>

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// 2^x, relative error at most 2^-22; results below 2^-126 are zero.
WARPLINE_DEVICE float exp2_approximate(float x) {
#if WARPLINE_ON_GPU
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return std::exp2(x);
#endif
}

/// 1 / x, error at most 1 ulp; results below 2^-126 are zero.
WARPLINE_DEVICE float reciprocal_approximate(float x) {
#if WARPLINE_ON_GPU
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / x;
#endif
}

/// log2(x), error at most 2^-22 absolute near 1, relative elsewhere.
WARPLINE_DEVICE float log2_approximate(float x) {
#if WARPLINE_ON_GPU
  float result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return std::log2(x);
#endif
}

/// 1 / sqrt(x), relative error at most 2^-22.4.
WARPLINE_DEVICE float rsqrt_approximate(float x) {
#if WARPLINE_ON_GPU
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / std::sqrt(x);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
