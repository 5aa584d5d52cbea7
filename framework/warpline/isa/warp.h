// Operations of one warp: election, reconvergence, shuffles (PTX ISA, "elect.sync", "shfl.sync",
// "bar.warp.sync"). All 32 lanes must take part.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// True in exactly one lane of the warp, the same one each time.
WARPLINE_DEVICE bool elect_one(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
#else
  return simulator::elect_one();
#endif
}

/// Reconverges the warp and orders its lanes' memory accesses.
WARPLINE_DEVICE void syncwarp(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  __syncwarp();
#else
  simulator::syncwarp();
#endif
}

/// The value of lane `lane`.
WARPLINE_DEVICE uint32_t shuffle(uint32_t value, uint32_t lane,
                                 SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  return __shfl_sync(0xffffffffu, value, static_cast<int>(lane));
#else
  return simulator::shuffle(value, lane);
#endif
}

/// The value of the lane whose index differs from this lane's in the bits of `mask`.
WARPLINE_DEVICE uint32_t shuffle_xor(uint32_t value, uint32_t mask,
                                     SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  return __shfl_xor_sync(0xffffffffu, value, static_cast<int>(mask));
#else
  return simulator::shuffle(value, (simulator::thread_index() % threads_per_warp) ^ mask);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
