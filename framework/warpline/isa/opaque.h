// What the compiler shall not know.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// The same number, about which the compiler knows nothing: what follows from it is computed where
/// it is used, not before the loop around it, where it would take registers. No instruction.
WARPLINE_DEVICE uint32_t opaque(uint32_t value) {
#if WARPLINE_ON_GPU
  asm volatile("" : "+r"(value));
#endif
  return value;
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
