// Thread-block clusters: ranks and the cluster barrier (PTX ISA, "barrier.cluster",
// "%cluster_ctarank").
#pragma once

#include "warpline/isa/special_registers.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Rank of this CTA within its cluster; x varies fastest.
WARPLINE_DEVICE uint32_t cluster_cta_rank() {
#if WARPLINE_ON_GPU
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return simulator::cluster_cta_rank();
#endif
}

/// Position of this CTA within its cluster.
WARPLINE_DEVICE Index3 cluster_cta_index() {
#if WARPLINE_ON_GPU
  Index3 index;
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(index.x));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(index.y));
  asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(index.z));
  return index;
#else
  const auto index = simulator::cluster_cta_index();
  return {index.x, index.y, index.z};
#endif
}

/// Arrives at the cluster's barrier (release). All threads of all its CTAs must arrive.
WARPLINE_DEVICE void cluster_arrive(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("barrier.cluster.arrive;" ::: "memory");
#else
  simulator::cluster_arrive();
#endif
}

/// Waits until all threads of the cluster have arrived (acquire).
WARPLINE_DEVICE void cluster_wait(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("barrier.cluster.wait;" ::: "memory");
#else
  simulator::cluster_wait();
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
