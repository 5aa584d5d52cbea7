// Loads that nobody waits for: what is needed soon is on its way into the L1 cache.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Fetches the 32 bytes around an element of an operand, as a load whose result is not used does.
/// It may follow only what an ordinary load may follow: L1 does not see what others write later.
template <class T>
WARPLINE_DEVICE void touch_global(const T* place) {
#if WARPLINE_ON_GPU
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  if constexpr (sizeof(T) == 2) {
    uint16_t unused;
    asm volatile("ld.global.b16 %0, [%1];" : "=h"(unused) : "l"(place));
  } else {
    uint32_t unused;
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(unused) : "l"(place));
  }
#else
  (void)place;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
