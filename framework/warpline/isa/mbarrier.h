// mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
#pragma once

#include "warpline/isa/shared_address.h"

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
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
#else
  simulator::mbarrier_init(&barrier, arrivals);
#endif
}

/// Ends the barrier's life; its memory may then be used for something else.
WARPLINE_DEVICE void mbarrier_invalidate(Mbarrier& barrier,
                                         SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
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
    asm volatile(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
        : "memory");
  } else {
    asm volatile(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
        "r"(count)
        : "memory");
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
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(&barrier)),
               "r"(bytes)
               : "memory");
#else
  simulator::mbarrier_arrive_expect_tx(&barrier, bytes);
#endif
}

/// Adds `bytes` to the transactions that the current phase waits for, without arriving.
WARPLINE_DEVICE void mbarrier_expect_tx(Mbarrier& barrier, uint32_t bytes,
                                        SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
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
      "}" ::"r"(shared_address(&barrier)),
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
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.b32 %0, 1, 0, complete;\n"
      "}"
      : "=r"(complete)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return complete != 0;
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
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.b32 %0, 1, 0, complete;\n"
      "}"
      : "=r"(complete)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return complete != 0;
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
