// Events of your own in a kernel's timeline (docs/timeline.md). No code on the GPU unless it is
// built with WARPLINE_TRACE.
#pragma once

#include "warpline/isa/trace.h"

namespace warpline::inline WARPLINE_TARGET {

/// A span of time of this warp, from here to the end of the scope; all lanes of the warp run it.
///
///   { TraceScope scope("softmax"); ... }
class TraceScope {
 public:
  /// `name` is a string literal; `stage` is shown with it if it is not negative.
  explicit WARPLINE_DEVICE TraceScope(const char* name, int stage = -1)
      : name_(name), stage_(stage), begin_(isa::trace_now()) {}
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  WARPLINE_DEVICE ~TraceScope() { isa::trace_span(isa::TraceKind::user, {name_, stage_}, begin_); }

 private:
  const char* name_;
  int stage_;
  isa::TraceTime begin_;
};

/// A moment of this warp; all its lanes call it. `name` is a string literal.
WARPLINE_DEVICE void trace_moment(const char* name, int stage = -1) {
  isa::trace_moment(isa::TraceKind::user, {name, stage});
}

/// First line of a __global__ function that uses the framework without launch, once: the events of
/// its primitives go nowhere. With WARPLINE_TRACE such a kernel does not assemble otherwise (ptxas:
/// Unknown symbol 'warpline_trace_left_needs_launch_or_untraced_kernel'); in other builds, and on
/// the simulator, it is nothing.
WARPLINE_DEVICE void untraced_kernel() { isa::trace_nothing(); }

}  // namespace warpline::inline WARPLINE_TARGET
