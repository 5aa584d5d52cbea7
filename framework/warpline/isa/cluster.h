// Thread-block clusters: ranks and the cluster barrier (PTX ISA, "barrier.cluster",
// "%cluster_ctarank").
#pragma once

#include "warpline/isa/special_registers.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Rank of this CTA within its cluster; x varies fastest.
WARPLINE_DEVICE uint32_t cluster_cta_rank() {
#if WARPLINE_ON_GPU
  return cuda::ptx::get_sreg_cluster_ctarank();
#else
  return simulator::cluster_cta_rank();
#endif
}

/// Position of this CTA within its cluster.
WARPLINE_DEVICE Index3 cluster_cta_index() {
#if WARPLINE_ON_GPU
  return {cuda::ptx::get_sreg_cluster_ctaid_x(), cuda::ptx::get_sreg_cluster_ctaid_y(),
          cuda::ptx::get_sreg_cluster_ctaid_z()};
#else
  const auto index = simulator::cluster_cta_index();
  return {index.x, index.y, index.z};
#endif
}

/// Arrives at the cluster's barrier (release). All threads of all its CTAs must arrive.
WARPLINE_DEVICE void cluster_arrive(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::barrier_cluster_arrive();
#else
  simulator::cluster_arrive();
#endif
}

/// Waits until all threads of the cluster have arrived (acquire).
WARPLINE_DEVICE void cluster_wait(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::barrier_cluster_wait();
#else
  simulator::cluster_wait();
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
