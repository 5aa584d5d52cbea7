// Functions that the multiprocessor's special units compute (PTX ISA, "ex2", "lg2", "rsqrt",
// "rcp"): at most 2 units in the last place off, denormal results are zero.
#pragma once

#include "warpline/target.h"

#if !WARPLINE_ON_GPU
#include <cmath>
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

/// 2^x
WARPLINE_DEVICE float exp2_approximate(float x) {
#if WARPLINE_ON_GPU
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}

/// log2(x)
WARPLINE_DEVICE float log2_approximate(float x) {
#if WARPLINE_ON_GPU
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::log2(x);
#endif
}

/// 1 / sqrt(x)
WARPLINE_DEVICE float rsqrt_approximate(float x) {
#if WARPLINE_ON_GPU
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / std::sqrt(x);
#endif
}

/// 1 / x
WARPLINE_DEVICE float reciprocal_approximate(float x) {
#if WARPLINE_ON_GPU
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / x;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
