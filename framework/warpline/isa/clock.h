// Clocks (PTX ISA, "%clock64", "%globaltimer").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Cycles of this multiprocessor; scheduler steps on the simulator.
WARPLINE_DEVICE uint64_t clock_cycles() {
#if WARPLINE_ON_GPU
  return static_cast<uint64_t>(clock64());
#else
  return simulator::clock_cycles();
#endif
}

/// Nanoseconds, the same for all multiprocessors but in coarse steps; scheduler steps on the
/// simulator.
WARPLINE_DEVICE uint64_t global_nanoseconds() {
#if WARPLINE_ON_GPU
  uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
#else
  return simulator::clock_cycles();
#endif
}

/// Leaves the multiprocessor to other warps for about `nanoseconds` (at most a millisecond).
WARPLINE_DEVICE void sleep_nanoseconds(uint32_t nanoseconds) {
#if WARPLINE_ON_GPU
  __nanosleep(nanoseconds);
#else
  (void)nanoseconds;
  simulator::yield();
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
