// How a simulation runs. Part of the simulator's public face.
#pragma once

#include <cstdint>

namespace warpline::simulator {

class Explorer;
class Recording;

/// In which order threads, copies and multiplies proceed.
enum class Policy {
  fair,         ///< round robin; copies and multiplies promptly
  random,       ///< anything that may happen next, may
  adversarial,  ///< copies and multiplies as late as the protocol allows; one warp starved
  priorities,   ///< strict random priorities that change at Options::depth - 1 random points
  exhaustive,   ///< the schedule that an Explorer asks for (explore.h)
  timed,        ///< by a virtual clock: whoever is earliest, with the times of a CostModel
};

const char* to_string(Policy policy);

/// Policy::timed: what things take, in cycles of an SM. docs/timeline.md has the sources. What is not
/// listed takes no time: address arithmetic, branches, waiting for the instruction cache.
struct CostModel {
  /// An instruction of a warp that this simulator sees: arrivals, fences, shuffles, elections.
  std::uint32_t instruction = 4;
  /// From a phase's completion to the waiting warp's next instruction.
  std::uint32_t wake = 24;
  /// The same, at a barrier of the CTA.
  std::uint32_t meet = 24;
  /// From a load's issue to its first bytes, if they are in L2; that much more if they are not.
  /// What these multiprocessors load for the first time is in L2 but for one load in `l2_reuse`:
  /// the others of the chip need the same data at about the same time. 1: nobody else does.
  std::uint32_t load_latency = 500;
  std::uint32_t dram_latency = 300;
  std::uint32_t l2_reuse = 8;
  /// Into one SM's shared memory.
  double load_bytes_per_cycle = 64;
  /// One SM's share of the memory: 4.8 TB/s for 132 SMs at 1.755 GHz.
  double dram_bytes_per_cycle = 20.7;
  /// One SM's stores. A warp goes on while the queue holds less than `store_queue` cycles of them.
  double store_bytes_per_cycle = 64;
  std::uint32_t store_queue = 64;
  std::uint32_t store_issue = 100;
  std::uint32_t store_latency = 500;
  /// From the last cycle of a multiply to the end of the wait for it.
  std::uint32_t multiply_latency = 32;
  /// From the end of a CTA to the first instruction of the next one in its place; and, once, from
  /// the launch.
  std::uint32_t cta_start = 700;
};

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
  Recording* recording = nullptr;
};

}  // namespace warpline::simulator
