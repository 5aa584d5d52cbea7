// How a simulation runs. Part of the simulator's public face.
#pragma once

#include <cstdint>

#include "simulator/cost_model.h"

namespace warpline::simulator {

class Explorer;
class Mutator;
class TimelineRecording;

/// In which order threads, copies and multiplies proceed.
enum class Policy {
  fair,         ///< round robin; copies and multiplies promptly
  random,       ///< anything that may happen next, may
  adversarial,  ///< copies and multiplies as late as the protocol allows; one warp, or with even
                ///< seeds one lane of each warp, starved
  priorities,   ///< strict random priorities that change at Options::depth - 1 random points
  exhaustive,   ///< the schedule that an Explorer asks for (explore.h)
  timed,        ///< by a virtual clock: whoever is earliest, with the times of a CostModel
};

const char* to_string(Policy policy);

struct Options {
  /// Everything follows from the seed: the same seed replays the same schedule.
  std::uint64_t seed = 1;
  Policy policy = Policy::random;
  /// Clusters that are on the chip together. A kernel whose CTAs wait for more than that deadlocks,
  /// and is reported.
  int resident_clusters = 4;
  /// Vendor practice is not enough: report also what only the letter of the PTX ISA forbids.
  bool strict = false;
  /// Policy::priorities: a fault that needs this many ordered events is found with a probability
  /// of at least 1 / (warps and agents * steps^(depth - 1)) in each schedule (Burckhardt et al.,
  /// "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
  int depth = 3;
  /// Policy::priorities: the steps among which the points are drawn; 0: 4096.
  std::uint64_t expected_steps = 0;
  /// Ends a simulation that makes no end: scheduler steps.
  std::uint64_t max_steps = 2'000'000'000;
  /// Policy::exhaustive: who chooses.
  Explorer* explorer = nullptr;
  /// Policy::timed: CTAs are spread over this many multiprocessors, `ctas_per_multiprocessor` on
  /// each; 0: as many as shared memory, threads and the launch's registers allow, and its
  /// min_ctas_per_sm where the registers are not known. Instead of resident_clusters.
  int multiprocessors = 4;
  int ctas_per_multiprocessor = 0;
  CostModel costs = {};
  /// Where events are recorded (recording.h); null for nowhere.
  TimelineRecording* recording = nullptr;
  /// Set by mutate() (mutation.h).
  Mutator* mutator = nullptr;
};

}  // namespace warpline::simulator
