// Mutation testing of a kernel's synchronisation: every wait, arrival, fence, commit, meeting and
// byte declaration that the kernel executes is removed, repeated, delayed or miscounted, one at a
// time, and the simulator must report each. What it does not report is either equivalent, by a rule
// that says why, or a hole: in the checks, or in the schedules that were run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/report.h"

namespace warpline::simulator {

/// What is mutated: the instructions that wait, signal, order or declare.
enum class Instruction : std::uint8_t {
  mbarrier_init,
  mbarrier_arrive,
  mbarrier_arrive_remote,
  mbarrier_arrive_expect_tx,
  mbarrier_expect_tx,
  mbarrier_test_wait,
  mbarrier_try_wait,
  mbarrier_wait,
  fence_mbarrier_init,
  fence_proxy_async,
  wgmma_fence,
  wgmma_commit_group,
  wgmma_wait_group,
  bulk_commit_group,
  bulk_wait_group_read,
  bulk_wait_group,
  syncthreads,
  named_barrier_sync,
  named_barrier_arrive,
  cluster_arrive,
  cluster_wait,
  syncwarp,
  setmaxnreg,
  atomic_access,  ///< one that acquires or releases
};

const char* to_string(Instruction instruction);

/// What is done to an instruction, each time that a thread comes to it.
enum class Change : std::uint8_t {
  remove,
  duplicate,
  delay,                ///< until after the thread's next other instruction of the list above
  one_arrival_more,     ///< mbarrier_init, mbarrier_arrive
  one_arrival_fewer,    ///< mbarrier_init of two or more
  sixteen_bytes_more,   ///< mbarrier_expect_tx, mbarrier_arrive_expect_tx
  sixteen_bytes_fewer,  ///< the same
  one_group_fewer,      ///< wgmma_wait_group and bulk_wait_group wait for one group fewer
  read_only,            ///< bulk_wait_group waits for reads only
  other_parity,         ///< waits for the other parity
  other_space,          ///< fence_proxy_async of the other state space
  no_acquire,           ///< atomic_access, which is otherwise carried out
  no_release,           ///< the same
  one_warp_more,        ///< named barriers count 32 threads more
};

const char* to_string(Change change);

/// Of the times that one thread comes to the instruction.
enum class Occurrence : std::uint8_t { every, first, last };

const char* to_string(Occurrence occurrence);

/// One instruction at one line of the kernel, for one role and one kind of barrier.
struct MutationSite {
  Instruction instruction;
  std::string file;  ///< the line that a report of this instruction would name
  unsigned line = 0;
  std::string role;
  std::string barrier;  ///< "full" for full[0], full[1], ...; empty if it has no name.
                        ///< Of setmaxnreg, the direction: "inc" or "dec"; of atomic_access, what
                        ///< it orders: "acquire", "release" or "acq_rel"

  /// "matmul.h:87: mbarrier_arrive_expect_tx on full (producer)"
  std::string text() const;
};

struct Mutant {
  std::size_t site = 0;  ///< in MutationReport::sites
  Change change = Change::remove;
  Occurrence occurrence = Occurrence::every;
};

enum class Outcome : std::uint8_t {
  reported,      ///< the simulator found a fault
  equivalent,    ///< not reported, and a rule says why that is right
  wrong_result,  ///< not reported, although the result was wrong: a hole in the checks
  survived,      ///< not reported, and no rule knows why
};

const char* to_string(Outcome outcome);

struct MutantResult {
  Mutant mutant;
  Outcome outcome = Outcome::survived;
  Report report;  ///< if reported
  /// If equivalent: why. If wrong: what run() threw, if it did. If reported: the rule that took it
  /// for equivalent, and is too generous.
  std::string reason;
  Options options;    ///< of the run that was reported or wrong
  int schedules = 0;  ///< runs until then
};

struct MutationReport {
  std::vector<MutationSite> sites;
  std::vector<MutantResult> mutants;

  std::size_t count(Outcome outcome) const;
  /// The part of the mutants that are not equivalent that was reported; 1 if there is none.
  double score() const;
  /// A line for each mutant with one of `outcomes`.
  std::string lines(const std::vector<Outcome>& outcomes) const;
  /// Those that were not reported, and the sums.
  std::string text() const;
};

struct MutationOptions {
  /// Runs of each mutant, spread over the policies; the first report ends them.
  int schedules = 12;
  std::vector<Policy> policies = {Policy::fair, Policy::random, Policy::adversarial,
                                  Policy::priorities};
  /// Removes each instruction also for a thread's first and for its last time only.
  bool once = true;
  /// Everything else of the runs.
  Options base = {};
  /// A reason why a survivor is equivalent that only the kernel's author knows; empty if it is not.
  std::function<std::string(const MutationSite&, const Mutant&)> explain = {};
  /// Called with each result.
  std::function<void(const MutantResult&, const MutationReport&)> progress = {};
};

/// `run` launches a kernel with these options, once or more, and says whether its result is right
/// (it may also throw if not). It must do the same work in each call. Throws std::runtime_error if
/// the kernel is not clean and right before anything is mutated.
MutationReport mutate(const std::function<bool(const Options&)>& run,
                      const MutationOptions& options = {});

}  // namespace warpline::simulator
