// Who am I: thread, warp, CTA and cluster indices (PTX ISA, "Special Registers").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

struct Index3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
};

/// Index of this thread within its CTA (CTAs are one-dimensional in Warpline).
WARPLINE_DEVICE uint32_t thread_index() {
#if WARPLINE_ON_GPU
  return threadIdx.x;
#else
  return simulator::thread_index();
#endif
}

/// Index of this thread within its warp.
WARPLINE_DEVICE uint32_t lane_index() { return thread_index() % threads_per_warp; }

/// Index of this warp within its CTA. The shuffle tells the compiler that all lanes agree, so that
/// branches on it are uniform and role code needs no predicates.
WARPLINE_DEVICE uint32_t warp_index() {
#if WARPLINE_ON_GPU
  return __shfl_sync(0xffffffffu, threadIdx.x / threads_per_warp, 0);
#else
  return simulator::thread_index() / threads_per_warp;
#endif
}

/// Index of this CTA within the grid.
WARPLINE_DEVICE Index3 block_index() {
#if WARPLINE_ON_GPU
  return {blockIdx.x, blockIdx.y, blockIdx.z};
#else
  const auto index = simulator::block_index();
  return {index.x, index.y, index.z};
#endif
}

/// Number of CTAs in each dimension of the grid.
WARPLINE_DEVICE Index3 grid_size() {
#if WARPLINE_ON_GPU
  return {gridDim.x, gridDim.y, gridDim.z};
#else
  const auto size = simulator::grid_size();
  return {size.x, size.y, size.z};
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
