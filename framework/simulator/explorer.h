// The search through all schedules: dynamic partial-order reduction with sleep sets over the steps
// of a simulation. Internal; explore.h is the public face.
//
// Sources: Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software",
// POPL 2005; Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems" (sleep
// sets).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "simulator/footprint.h"

namespace warpline::simulator {

using ProcessId = std::uint64_t;

/// One search. It drives one simulation after the other, each along a path of choices that it has
/// not seen; next_path() says whether there is one.
class Explorer {
 public:
  /// Thrown through a simulation whose every continuation was seen on another path.
  struct Redundant {};

  explicit Explorer(bool reduce = true) : reduce_(reduce) {}

  /// Before each run of the kernel.
  void begin_path();
  /// After each run. False if all paths have been seen.
  bool next_path();

  /// Of the processes that can go on, the index of the one that shall.
  std::size_t choose(const std::vector<ProcessId>& enabled);
  /// What the chosen one's step did, and what it would have done, had it not had to wait.
  void stepped(const Footprint& footprint, const Footprint& wanted);
  /// The run ended with this process waiting in vain.
  void stuck(ProcessId process, const Footprint& wanted);

  /// Steps taken, each state counted once.
  std::uint64_t states() const { return states_; }
  /// Longest path.
  std::size_t longest() const { return longest_; }

 private:
  struct Node {
    std::vector<ProcessId> enabled;
    std::set<ProcessId> backtrack;
    std::map<ProcessId, Footprint> done;
    std::map<ProcessId, Footprint> sleep;
    ProcessId chosen = 0;
    Footprint footprint;
    /// For each process, how many of its steps happen before this step ends.
    std::map<ProcessId, std::uint64_t> clock;
    std::uint64_t number = 0;  ///< among the chosen process' steps, from 1
  };

  using Clock = std::map<ProcessId, std::uint64_t>;
  bool happens_before(const Node& step, const Clock& clock) const;
  void add_backtrack_points(std::size_t before, ProcessId process, const Footprint& footprint,
                            const Clock& clock);

  bool reduce_;
  std::vector<Node> path_;
  std::size_t depth_ = 0;  ///< steps of the present run
  std::map<ProcessId, Clock> clocks_;
  std::map<ProcessId, std::uint64_t> numbers_;
  std::uint64_t states_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace warpline::simulator
