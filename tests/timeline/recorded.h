// Timelines of the shipped matmuls on the simulator.
#pragma once

#include <cuda_fp16.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matmul/catalog.h"
#include "simulator/recording.h"
#include "timeline/trace.h"

namespace warpline::tests {

struct RecordedMatmul {
  std::string kernel = "warp_specialized";
  int stages = 2;
  std::int64_t m = 256;
  std::int64_t n = 256;
  std::int64_t k = 512;
  simulator::Options options = {.policy = simulator::Policy::timed, .multiprocessors = 1};
  simulator::RecordingLimits limits = {};

  /// Of ones: every element of the product is k.
  timeline::Trace run() const {
    const auto& kernels = simulator_matmul_kernels();
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const MatmulKernel& each) {
      return each.name == kernel && each.stages == stages && each.block_n >= 128 &&
             each.block_k == 64 && each.static_k == 0;
    });
    const std::vector<__half> a(static_cast<std::size_t>(m * k), __float2half(1));
    const std::vector<__half> b(static_cast<std::size_t>(n * k), __float2half(1));
    std::vector<__half> c(static_cast<std::size_t>(m * n));
    const MatmulPlan plan(*found, {.a = a.data(),
                                   .b = b.data(),
                                   .c = c.data(),
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .a_stride = k,
                                   .b_stride = k,
                                   .c_stride = n});
    simulator::TimelineRecording recording(limits);
    simulator::Options how = options;
    how.recording = &recording;
    plan.run({.simulator = how});
    correct = std::all_of(c.begin(), c.end(), [&](__half value) {
      return __half2float(value) == static_cast<float>(k);
    });
    return recording.take();
  }

  mutable bool correct = false;  ///< the product of the last run
};

inline std::vector<timeline::Event> events_of(const timeline::Trace& trace, timeline::Kind kind) {
  std::vector<timeline::Event> events;
  for (const timeline::Track& track : trace.tracks) {
    std::copy_if(track.events.begin(), track.events.end(), std::back_inserter(events),
                 [&](const timeline::Event& event) { return event.kind == kind; });
  }
  return events;
}

}  // namespace warpline::tests
