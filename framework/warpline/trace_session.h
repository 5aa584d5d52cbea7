// TimelineRecording a kernel's timeline, on both targets (docs/timeline.md):
//
//   TraceSession session(stream);
//   launch<Kernel>(stream, grid, arguments);
//   timeline::Trace trace = session.finish();
//   timeline::write_file(trace, "kernel.html");
#pragma once

#include <string>

#include "timeline/trace.h"
#include "warpline/isa/launch_grid.h"
#if WARPLINE_ON_GPU
#include "warpline/isa/trace_host.h"
#else
#include "simulator/recording.h"
#endif

namespace warpline::inline WARPLINE_TARGET {

/// What is recorded. Memory is bounded by it; what finds no room is counted.
struct TraceLimits {
  /// GPU: CTAs that run on SMs 0 to multiprocessors - 1. (The simulator records all of its few.)
  uint32_t multiprocessors = 2;
  /// Of these, CTAs first_cta to first_cta + ctas - 1 of the grid.
  uint32_t first_cta = 0;
  uint32_t ctas = 0xffffffff;
  uint32_t events_per_warp = 16384;
  /// GPU memory for all of it: 16 bytes an event.
  uint64_t bytes = uint64_t{256} << 20;
};

/// Records the first launch after its construction: on the GPU any of this process, on the
/// simulator one on `stream`, which it changes. One session at a time.
class TraceSession {
 public:
  /// Throws Error if this build's GPU kernels record nothing (CMake: WARPLINE_TRACE).
  explicit TraceSession(Stream& stream, const TraceLimits& limits = {})
      : stream_(&stream)
#if WARPLINE_ON_GPU
  {
    isa::start_trace({.multiprocessors = limits.multiprocessors,
                      .first_cta = limits.first_cta,
                      .ctas = limits.ctas,
                      .records_per_warp = limits.events_per_warp,
                      .bytes = limits.bytes});
  }
#else
        ,
        recording_({.first_cta = limits.first_cta,
                    .ctas = limits.ctas,
                    .events_per_track = limits.events_per_warp}) {
    stream.options.recording = &recording_;
  }
#endif
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  ~TraceSession() {
#if WARPLINE_ON_GPU
    isa::stop_trace();
#else
    stream_->options.recording = nullptr;
#endif
  }

  /// Waits for the stream's work and returns what was recorded; a kernel that failed leaves what it
  /// had written.
  timeline::Trace finish() {
#if WARPLINE_ON_GPU
    return isa::finish_trace(*stream_);
#else
    return recording_.take();
#endif
  }

 private:
  Stream* stream_;
#if !WARPLINE_ON_GPU
  simulator::TimelineRecording recording_;
#endif
};

}  // namespace warpline::inline WARPLINE_TARGET
