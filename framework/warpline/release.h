// How a role ends its phase: what orders its accesses before the next role's, and which of its
// threads arrive.
#pragma once

#include "warpline/isa/cluster.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/trace.h"
#include "warpline/isa/warp.h"
#include "warpline/pipeline_phase.h"

namespace warpline::inline WARPLINE_TARGET {

namespace release_detail {

/// Cluster rank of the `i`-th CTA that waits for our release, this one included.
template <class Ring>
WARPLINE_DEVICE uint32_t peer_rank(uint32_t i) {
  constexpr uint32_t width = Ring::config.cluster.x;
  const uint32_t rank = isa::cluster_cta_rank();
  if constexpr (Ring::multicast_x && Ring::multicast_y) {
    if (i < width) {
      return rank / width * width + i;
    }
    const uint32_t below = i - width;
    return (below + (below >= rank / width ? 1 : 0)) * width + rank % width;
  } else if constexpr (Ring::multicast_x) {
    return rank / width * width + i;
  } else {
    return i * width + rank % width;
  }
}

/// The stage goes from this warp to the role of the next phase.
template <class End>
WARPLINE_DEVICE void trace_release(const isa::Mbarrier& barrier) {
  isa::trace_moment(isa::TraceKind::release,
                    {End::Pipeline::barrier_name(End::phase), -1, &barrier});
}

/// Arrives for `speaks` (this thread alone, or its warp or warpgroup) at every barrier that counts
/// on it. When a warp speaks, its lanes share the peers out.
template <class End, class Group>
WARPLINE_DEVICE void arrive(const Group& group, isa::Mbarrier& barrier) {
  using Ring = typename End::Pipeline;
  constexpr bool remote = End::phase == Ring::phases - 1 && Ring::peers > 1;
  constexpr Release policy = Ring::config.release;
  trace_release<End>(barrier);
  if constexpr (!remote) {
    if (policy == Release::per_thread || (policy == Release::per_warp && group.elected()) ||
        (policy == Release::per_warpgroup && group.warpgroup_leader())) {
      isa::mbarrier_arrive(barrier, 1, SourceLine::inherited());
    }
  } else if constexpr (policy == Release::per_thread) {
    for (uint32_t i = 0; i < Ring::peers; ++i) {
      isa::mbarrier_arrive_remote(barrier, peer_rank<Ring>(i), SourceLine::inherited());
    }
  } else {
    static_assert(Ring::peers <= threads_per_warp);
    const uint32_t lane = isa::lane_index();
    if (lane < Ring::peers &&
        (policy == Release::per_warp || group.warp_rank() % warps_per_warpgroup == 0)) {
      isa::mbarrier_arrive_remote(barrier, peer_rank<Ring>(lane), SourceLine::inherited());
    }
  }
}

/// The threads that one arrival speaks for meet.
template <class End, class Group>
WARPLINE_DEVICE void meet(const Group& group) {
  constexpr Release policy = End::Pipeline::config.release;
  if constexpr (policy == Release::per_warp) {
    isa::syncwarp(SourceLine::inherited());
  } else if constexpr (policy == Release::per_warpgroup) {
    group.sync_warpgroup(SourceLine::inherited());
  }
}

}  // namespace release_detail

/// After ordinary accesses: each thread orders its own before the async proxy's, the threads that
/// one arrival speaks for meet, then it arrives.
template <class End, class Group>
WARPLINE_DEVICE void release_after_ordinary_accesses(const Group& group, isa::Mbarrier& barrier) {
  using Ring = typename End::Pipeline;
  constexpr bool async_proxy_involved = [] {
    for (const Access access : Ring::accesses) {
      if (access != Access::threads) {
        return true;
      }
    }
    return false;
  }();
  if constexpr (async_proxy_involved) {
    isa::fence_proxy_async_shared(SourceLine::inherited());
  }
  release_detail::meet<End>(group);
  release_detail::arrive<End>(group, barrier);
}

/// After the wait for wgmma, which is aligned: the warp is converged and its reads are done. That
/// one thread may speak for the other three warps of the warpgroup is vendor practice
/// (docs/design.md).
template <class End, class Group>
WARPLINE_DEVICE void release_after_wgmma(const Group& group, isa::Mbarrier& barrier) {
  release_detail::arrive<End>(group, barrier);
}

/// Of a stage that perhaps no multiply has read, so that none has held the threads together: they
/// meet first, or one that still waits for the stage would lose it to two turns of the others.
template <class End, class Group>
WARPLINE_DEVICE void release_unread(const Group& group, isa::Mbarrier& barrier) {
  release_detail::meet<End>(group);
  release_detail::arrive<End>(group, barrier);
}

}  // namespace warpline::inline WARPLINE_TARGET
