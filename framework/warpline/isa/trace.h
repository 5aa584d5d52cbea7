// Events of a kernel's timeline. The framework's primitives record them; kernels may add their own
// (trace.h). On the simulator they go to Options::recording. On the GPU they exist only where
// WARPLINE_TRACE is 1: otherwise nothing below leaves an instruction.
#pragma once

#include "timeline/kind.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/simulated.h"
#include "warpline/isa/special_registers.h"
#if WARPLINE_ON_GPU && WARPLINE_TRACE
#include "warpline/isa/trace_buffer.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

using TraceKind = timeline::Kind;

#if !WARPLINE_ON_GPU
using TraceTime = uint64_t;
#elif WARPLINE_TRACE
using TraceTime = uint32_t;
#else
struct TraceTime {};
#endif

/// What an event is about. Without a barrier and with a stage below 0, it is about no stage.
struct TraceSite {
  const char* name;
  int stage = -1;
  const Mbarrier* barrier = nullptr;
};

/// Now, to be given to trace_span when the span is over.
WARPLINE_DEVICE TraceTime trace_now() {
#if !WARPLINE_ON_GPU
  return simulator::clock_cycles();
#elif WARPLINE_TRACE
  return trace_detail::clock_low();
#else
  return {};
#endif
}

/// A span of time of this warp, from `begin` until now. All its lanes call it.
WARPLINE_DEVICE void trace_span(TraceKind kind, TraceSite site, TraceTime begin) {
#if !WARPLINE_ON_GPU
  simulator::trace_span(kind, site.name, site.stage, begin, 0, site.barrier, true);
#elif WARPLINE_TRACE
  trace_detail::record(kind, site.name, site.stage, site.barrier, begin, trace_detail::clock_low());
#else
  (void)kind, (void)site, (void)begin;
#endif
}

/// A span of time of one thread, which speaks for its warp. On the GPU it is recorded if that is
/// lane 0, which is the one that elect_one elects of a whole warp.
WARPLINE_DEVICE void trace_span_of_one(TraceKind kind, TraceSite site, TraceTime begin) {
#if !WARPLINE_ON_GPU
  simulator::trace_span(kind, site.name, site.stage, begin, 0, site.barrier, false);
#else
  trace_span(kind, site, begin);
#endif
}

/// A moment of this warp. All its lanes call it.
WARPLINE_DEVICE void trace_moment(TraceKind kind, TraceSite site, uint32_t amount = 0) {
#if !WARPLINE_ON_GPU
  simulator::trace_span(kind, site.name, site.stage, simulator::clock_cycles(), amount,
                        site.barrier, true);
#elif WARPLINE_TRACE
  const TraceTime now = trace_detail::clock_low();
  // Of user's events the decoder cannot tell moments from spans: theirs is a span of no length.
  trace_detail::record(kind, site.name, site.stage, site.barrier, now,
                       kind == TraceKind::user ? now : amount);
#else
  (void)kind, (void)site, (void)amount;
#endif
}

/// A moment of one thread, as trace_span_of_one: where only one issues or arrives.
WARPLINE_DEVICE void trace_moment_of_one(TraceKind kind, TraceSite site, uint32_t amount = 0) {
#if !WARPLINE_ON_GPU
  simulator::trace_span(kind, site.name, site.stage, simulator::clock_cycles(), amount,
                        site.barrier, false);
#else
  trace_moment(kind, site, amount);
#endif
}

/// Where launch's entry is not: declares what events need, once in a kernel and before any of them.
WARPLINE_DEVICE void trace_nothing() {
#if WARPLINE_ON_GPU && WARPLINE_TRACE
  trace_detail::declare_pen();
  trace_detail::set_pen(nullptr, 0);
#endif
}

/// The role of this warp. All its lanes call it.
WARPLINE_DEVICE void trace_role(const char* name) {
#if !WARPLINE_ON_GPU
  simulator::trace_role(name);
#elif WARPLINE_TRACE
  trace_detail::record(timeline::raw_role, name, -1, nullptr, trace_detail::clock_low(), 0);
#else
  (void)name;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
