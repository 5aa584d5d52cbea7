// Numbers of 8 bits (PTX ISA, "cvt"; e4m3: OCP 8-bit Floating Point Specification, 5.1).
#pragma once

#include <cstdint>

#include "warpline/isa/simulated.h"
#if !WARPLINE_ON_GPU
#include "simulator/number_formats.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

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
