// Timing two contestants in turns on one GPU. Large matmuls run into the chip's power limit, so
// that the clock, and with it any figure alone, depends on what ran before: only a ratio of
// neighbours can be compared.
#pragma once

#include "samples/support/gpu.h"
#include "samples/support/result.h"
#include "samples/support/sm_clock.h"

#if WARPLINE_HAS_GPU

#include <functional>

namespace sample {

/// Queues one matmul on the given set of operands.
using Launch = std::function<void(std::size_t set)>;

struct Contest {
  Launch ours;
  /// May be empty.
  Launch theirs;
  /// Sets of operands, used in turn so that a small problem does not find them in the L2 cache.
  std::size_t sets = 1;
};

/// A first idea of how long one launch takes, after one to warm up.
double milliseconds_of(const Launch& launch, const GpuStream& stream);

class Bench {
 public:
  Bench(const GpuStream& stream, const SmClock& clock);

  /// Bursts of three pairs, each after a quarter of a second of rest.
  Speed cool(const Contest& contest, int pairs);

  /// Pairs without a pause, after `load_seconds` of the same.
  Speed sustained(const Contest& contest, int pairs, double load_seconds);

 private:
  /// Keeps the GPU busy until the host has queued this many launches: none of them shall wait for
  /// the host.
  void hold_back(int launches);

  const GpuStream* stream_;
  const SmClock* clock_;
  DeviceMemory scratch_;
};

}  // namespace sample

#endif
