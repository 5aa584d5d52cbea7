// mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// One barrier in shared memory. Opaque: only the functions below read or write it.
struct alignas(8) Mbarrier {
  uint64_t word;
};

/// Prepares `barrier` for phases of `arrivals` arrivals each. One thread; other threads may use the
/// barrier only after a synchronisation, the copy engine and other CTAs only after
/// fence_mbarrier_init as well.
WARPLINE_DEVICE void mbarrier_init(Mbarrier& barrier, uint32_t arrivals,
                                   SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::mbarrier_init(&barrier.word, arrivals);
#else
  simulator::mbarrier_init(&barrier, arrivals);
#endif
}

/// Ends the barrier's life; its memory may then be used for something else.
WARPLINE_DEVICE void mbarrier_invalidate(Mbarrier& barrier,
                                         SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  // cuda::ptx (CUDA 13.0) has no mbarrier.inval.
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(&barrier.word)))
               : "memory");
#else
  simulator::mbarrier_invalidate(&barrier);
#endif
}

/// `count` arrivals on a barrier of this CTA (release, CTA scope).
WARPLINE_DEVICE void mbarrier_arrive(Mbarrier& barrier, uint32_t count = 1,
                                     SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  if (count == 1) {
    cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                               cuda::ptx::space_shared, &barrier.word);
  } else {
    cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                               cuda::ptx::space_shared, &barrier.word, count);
  }
#else
  simulator::mbarrier_arrive(&barrier, count);
#endif
}

/// One arrival that first adds `bytes` to the transactions that the current phase waits for.
WARPLINE_DEVICE void mbarrier_arrive_expect_tx(Mbarrier& barrier, uint32_t bytes,
                                               SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                       cuda::ptx::space_shared, &barrier.word, bytes);
#else
  simulator::mbarrier_arrive_expect_tx(&barrier, bytes);
#endif
}

/// Adds `bytes` to the transactions that the current phase waits for, without arriving.
WARPLINE_DEVICE void mbarrier_expect_tx(Mbarrier& barrier, uint32_t bytes,
                                        SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  cuda::ptx::mbarrier_expect_tx(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta,
                                cuda::ptx::space_shared, &barrier.word, bytes);
#else
  simulator::mbarrier_expect_tx(&barrier, bytes);
#endif
}

/// One arrival on the barrier at the same shared-memory offset in CTA `cta_rank` of this cluster.
/// Default semantics on purpose: `.release.cluster` compiles to a GPU-wide memory barrier that cost
/// 25 % of a matmul, and orders ordinary writes that a stage which was only read does not have
/// (docs/design.md).
WARPLINE_DEVICE void mbarrier_arrive_remote(Mbarrier& barrier, uint32_t cta_rank,
                                            SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&barrier.word))),
      "r"(cta_rank)
      : "memory");
#else
  simulator::mbarrier_arrive_remote(&barrier, cta_rank);
#endif
}

/// True once the phase of the given parity has completed. Returns at once.
WARPLINE_DEVICE bool mbarrier_test_wait(Mbarrier& barrier, uint32_t parity,
                                        SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  return cuda::ptx::mbarrier_test_wait_parity(&barrier.word, parity);
#else
  return simulator::mbarrier_test_wait(&barrier, parity);
#endif
}

/// As mbarrier_test_wait, but may suspend the thread for a bounded time first (PTX: "potentially
/// blocking").
WARPLINE_DEVICE bool mbarrier_try_wait(Mbarrier& barrier, uint32_t parity,
                                       SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  return cuda::ptx::mbarrier_try_wait_parity(&barrier.word, parity);
#else
  return simulator::mbarrier_try_wait(&barrier, parity);
#endif
}

/// Simulator only in effect: lets reports call the barrier by its place in a pipeline instead of an
/// address.
WARPLINE_DEVICE void name_mbarrier(Mbarrier& barrier, const char* name, int stage) {
#if WARPLINE_ON_GPU
  (void)barrier, (void)name, (void)stage;
#else
  simulator::name_mbarrier(&barrier, name, stage);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
