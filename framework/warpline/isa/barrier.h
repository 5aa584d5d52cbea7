// Named barriers within a CTA (PTX ISA, "bar/barrier"). Identifiers 0..15; 0 is __syncthreads().
#pragma once

#include "warpline/isa/simulated.h"
#include "warpline/isa/trace.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// All threads of the CTA.
WARPLINE_DEVICE void syncthreads(SourceLine where = SourceLine::current()) {
  at_line(where);
  const TraceTime begin = trace_now();
#if WARPLINE_ON_GPU
  __syncthreads();
#else
  simulator::syncthreads();
#endif
  trace_span(TraceKind::meet, {"CTA"}, begin);
}

/// Arrives at barrier `id` and waits until `threads` threads (a multiple of 32) have arrived.
WARPLINE_DEVICE void named_barrier_sync(uint32_t id, uint32_t threads,
                                        SourceLine where = SourceLine::current()) {
  at_line(where);
  const TraceTime begin = trace_now();
#if WARPLINE_ON_GPU
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
#else
  simulator::named_barrier_sync(id, threads);
#endif
  trace_span(TraceKind::meet, {"role"}, begin);
}

/// Arrives at barrier `id` without waiting.
WARPLINE_DEVICE void named_barrier_arrive(uint32_t id, uint32_t threads,
                                          SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
#else
  simulator::named_barrier_arrive(id, threads);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
