// How a simulation runs, and what it reports. Part of the simulator's public face.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpline::simulator {

/// In which order threads, copies and multiplies proceed.
enum class Policy {
  fair,         ///< round robin; copies and multiplies promptly
  random,       ///< anything that may happen next, may
  adversarial,  ///< copies and multiplies as late as the protocol allows; one warp starved
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
  /// Ends a simulation that makes no end: scheduler steps.
  std::uint64_t max_steps = 2'000'000'000;
};

enum class FaultKind {
  deadlock,
  no_progress,
  out_of_bounds,
  uninitialised_read,
  mbarrier_misuse,
  transaction_mismatch,
  proxy_fence_missing,
  mbarrier_fence_missing,
  data_race,
  copy_race,
  wgmma_race,
  store_race,
  wgmma_misuse,
  warp_disagreement,
  named_barrier_misuse,
  register_pool,
  copy_misuse,
  exited_cta,
  leak,
};

const char* to_string(FaultKind kind);

/// What the rule behind a kind of fault rests on: the PTX ISA (with the section), or our judgement
/// of what nobody wants. (Vendor practice that the ISA does not promise is reported only with
/// Options::strict.)
const char* basis_of(FaultKind kind);

/// One fault: what rule was broken, by whom, where.
struct Report {
  FaultKind kind = FaultKind::deadlock;
  std::string what;  ///< the rule, the values, what to do
  std::string role;
  int warp = -1;
  int lane = -1;
  unsigned cta = 0;
  std::string file;
  unsigned line = 0;
  std::string kernel;
  std::uint64_t seed = 0;
  Policy policy = Policy::random;

  /// All of it, for people.
  std::string text() const;
};

/// Thrown by a simulation that found a fault.
class SimulationFault : public std::runtime_error {
 public:
  explicit SimulationFault(const Report& found) : std::runtime_error(found.text()), report(found) {}
  Report report;
};

}  // namespace warpline::simulator
