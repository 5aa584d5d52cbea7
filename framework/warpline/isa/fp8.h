// Numbers of 8 bits (PTX ISA, "cvt"; e4m3: OCP 8-bit Floating Point Specification, 5.1).
#pragma once

#include <cstdint>

#include "warpline/isa/simulated.h"
#if !WARPLINE_ON_GPU
#include "simulator/number_formats.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

/// The larger one; NaN, if one is (PTX ISA, "max": max.NaN).
WARPLINE_DEVICE float maximum_or_nan(float a, float b) {
#if WARPLINE_ON_GPU
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a > b || a != a ? a : b;
#endif
}

/// Two numbers as e4m3, `low` in the low byte: rounded to nearest, ties to even; what is beyond 448
/// becomes 448 of its sign, NaN stays NaN (0x7f).
WARPLINE_DEVICE uint16_t e4m3_pair(float low, float high) {
#if WARPLINE_ON_GPU
  uint16_t pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return static_cast<uint16_t>(simulator::float_to_e4m3(low) | simulator::float_to_e4m3(high) << 8);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
