// Timing contestants in turns on one GPU. Large matmuls run into the chip's power limit, so that
// the clock, and with it any figure alone, depends on what ran before: only a ratio of neighbours
// can be compared.
#pragma once

#include "samples/support/gpu.h"
#include "samples/support/result.h"
#include "samples/support/sm_clock.h"

#if WARPLINE_HAS_GPU

#include <chrono>
#include <functional>
#include <vector>

namespace sample {

/// Queues one matmul on the given set of operands.
using Launch = std::function<void(std::size_t set)>;

struct Contest {
  /// Ours first: the others are compared with it.
  std::vector<Launch> contestants;
  /// Sets of operands, used in turn so that a small problem does not find them in the L2 cache.
  std::size_t sets = 1;
};

/// What a contest of several heats has shown. In each heat every contestant has its turn.
struct Timing {
  /// Medians, in the contestants' order.
  std::vector<double> milliseconds;
  /// Medians over heats of a contestant's time divided by the first's.
  std::vector<double> ratios;
  std::optional<int> sm_clock_mhz;
  int heats = 0;
};

/// Of the first contestant, and of the second if there is one.
Speed speed_of(const Timing& timing);

/// A first idea of how long one launch takes, after one to warm up.
double milliseconds_of(const Launch& launch, const GpuStream& stream);

/// Short bursts, each after a rest.
struct Bursts {
  std::chrono::milliseconds rest{250};
  int heats = 3;
};

class Bench {
 public:
  Bench(const GpuStream& stream, const SmClock& clock);

  Timing cool(const Contest& contest, int heats, const Bursts& bursts = {});

  /// Heats without a pause, after `load_seconds` of the same.
  Timing sustained(const Contest& contest, int heats, double load_seconds);

  /// One burst without a rest, for contestants that have run before: to choose among many.
  /// `estimate`: milliseconds of the shortest.
  Timing quick(const Contest& contest, int heats, double estimate);

  /// Heats of one burst that last about `milliseconds` together: 1 to `most`.
  int heats_within(double milliseconds, const Contest& contest, int most) const;

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
