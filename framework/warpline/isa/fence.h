// Fences (PTX ISA, "membar/fence" and "wgmma.fence").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Makes this thread's mbarrier_init visible to the copy engine and to the other CTAs of the
/// cluster, once a synchronisation follows.
WARPLINE_DEVICE void fence_mbarrier_init(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  simulator::fence_mbarrier_init();
#endif
}

/// Orders this thread's ordinary accesses to shared memory before later accesses by the copy engine
/// and the tensor cores (the async proxy), once a synchronisation follows.
WARPLINE_DEVICE void fence_proxy_async_shared(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  simulator::fence_proxy_async(simulator::Space::shared);
#endif
}

/// As fence_proxy_async_shared, for global memory.
WARPLINE_DEVICE void fence_proxy_async_global(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("fence.proxy.async.global;" ::: "memory");
#else
  simulator::fence_proxy_async(simulator::Space::global);
#endif
}

/// Orders this warp's register accesses before the wgmma that follow. Needed before the first wgmma
/// and whenever accumulator or A registers were touched in between. All threads of the warp.
WARPLINE_DEVICE void wgmma_fence(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  simulator::wgmma_fence();
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
