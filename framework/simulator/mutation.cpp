#include "simulator/mutation.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>

#include "simulator/mutator.h"

namespace warpline::simulator {

namespace {

/// What can be done to an instruction of which a run was recorded.
std::vector<Change> changes_of(Instruction instruction, const SiteFacts& facts) {
  std::vector<Change> changes;
  const auto add = [&](std::initializer_list<Change> more) { changes.insert(changes.end(), more); };
  if (instruction == Instruction::atomic_access) {
    if ((facts.all_values & acquires) != 0) {
      add({Change::no_acquire});
    }
    if ((facts.all_values & releases) != 0) {
      add({Change::no_release});
    }
    return changes;
  }
  add({Change::remove, Change::duplicate, Change::delay});
  switch (instruction) {
    case Instruction::mbarrier_init:
      add({Change::one_arrival_more});
      if (facts.smallest_value > 1) {
        add({Change::one_arrival_fewer});
      }
      break;
    case Instruction::mbarrier_arrive:
      add({Change::one_arrival_more});
      break;
    case Instruction::mbarrier_arrive_expect_tx:
    case Instruction::mbarrier_expect_tx:
      add({Change::sixteen_bytes_more});
      if (facts.smallest_value >= 16) {
        add({Change::sixteen_bytes_fewer});
      }
      break;
    case Instruction::mbarrier_test_wait:
    case Instruction::mbarrier_try_wait:
    case Instruction::mbarrier_wait:
      add({Change::other_parity});
      break;
    case Instruction::fence_proxy_async:
      add({Change::other_space});
      break;
    case Instruction::wgmma_wait_group:
    case Instruction::bulk_wait_group_read:
      add({Change::one_group_fewer});
      break;
    case Instruction::bulk_wait_group:
      add({Change::one_group_fewer, Change::read_only});
      break;
    case Instruction::named_barrier_sync:
    case Instruction::named_barrier_arrive:
      add({Change::one_warp_more});
      break;
    case Instruction::mbarrier_arrive_remote:
    case Instruction::fence_mbarrier_init:
    case Instruction::wgmma_fence:
    case Instruction::wgmma_commit_group:
    case Instruction::bulk_commit_group:
    case Instruction::syncthreads:
    case Instruction::cluster_arrive:
    case Instruction::cluster_wait:
    case Instruction::syncwarp:
    case Instruction::setmaxnreg:
    case Instruction::atomic_access:
      break;
  }
  return changes;
}

/// Whether its first and its last time are worth a mutant of their own. Those of fences and
/// meetings are not: before a ring's first turn and after its last there is mostly nothing to
/// order.
bool counts_turns(Instruction instruction) {
  switch (instruction) {
    case Instruction::fence_mbarrier_init:
    case Instruction::fence_proxy_async:
    case Instruction::wgmma_fence:
    case Instruction::syncthreads:
    case Instruction::named_barrier_sync:
    case Instruction::syncwarp:
    case Instruction::setmaxnreg:
    case Instruction::atomic_access:
      return false;
    default:
      return true;
  }
}

std::vector<Mutant> mutants_of(const std::vector<MutationSite>& sites,
                               const std::vector<SiteFacts>& facts, bool once) {
  std::vector<Mutant> mutants;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    for (const Change change : changes_of(sites[site].instruction, facts[site])) {
      mutants.push_back({.site = site, .change = change});
    }
    if (once && counts_turns(sites[site].instruction) && facts[site].largest_count > 1) {
      for (const Occurrence occurrence : {Occurrence::first, Occurrence::last}) {
        mutants.push_back({.site = site, .change = Change::remove, .occurrence = occurrence});
      }
    }
  }
  return mutants;
}

/// What one run came to.
struct RunResult {
  enum class End { right, wrong, reported };
  End end = End::right;
  Report report;
  std::string thrown;
};

RunResult run_once(const std::function<bool(const Options&)>& run, const Options& options) {
  try {
    return {.end = run(options) ? RunResult::End::right : RunResult::End::wrong};
  } catch (const SimulationFault& fault) {
    return {.end = RunResult::End::reported, .report = fault.report};
  } catch (const std::exception& error) {
    return {.end = RunResult::End::wrong, .thrown = error.what()};
  }
}

class Session {
 public:
  Session(const std::function<bool(const Options&)>& run, const MutationOptions& options)
      : run_(run), options_(options) {
    if (options.schedules < 1 || options.policies.empty()) {
      throw std::invalid_argument("mutate() needs at least one schedule and one policy");
    }
  }

  MutationReport report() {
    record();
    MutationReport report;
    report.sites = sites_.sites();
    for (const Mutant& mutant : mutants_of(report.sites, recording_.sites, options_.once)) {
      const std::optional<MutantResult> result = judge(mutant, report.sites);
      if (!result) {
        continue;
      }
      report.mutants.push_back(*result);
      if (options_.progress) {
        options_.progress(report.mutants.back(), report);
      }
    }
    return report;
  }

 private:
  Options schedule(int index) const {
    const auto policies = static_cast<int>(options_.policies.size());
    Options options = options_.base;
    options.strict = strict_;
    options.seed += static_cast<std::uint64_t>(index / policies);
    options.policy = options_.policies[static_cast<std::size_t>(index % policies)];
    return options;
  }

  /// The kernel must be clean and right under every schedule that its mutants will see; what it
  /// executes in any of them is what is mutated. Mutants are held to strict rules if the kernel is
  /// clean by them: what vendor practice would forgive is then found, too.
  void record() {
    strict_ = true;
    if (try_to_record()) {
      strict_ = options_.base.strict;
      recording_ = {};
      if (const std::optional<std::string> trouble = try_to_record()) {
        throw std::runtime_error("nothing was mutated, since the kernel itself is not right: " +
                                 *trouble);
      }
    }
    if (sites_.sites().empty()) {
      throw std::runtime_error(
          "the kernel executed nothing that can be mutated: does run() launch it with the options "
          "that it is given?");
    }
  }

  /// What is wrong, if something is.
  std::optional<std::string> try_to_record() {
    for (int i = 0; i < options_.schedules; ++i) {
      Mutator recorder(sites_);
      Options options = schedule(i);
      options.mutator = &recorder;
      const RunResult run = run_once(run_, options);
      if (run.end == RunResult::End::reported) {
        return run.report.text();
      }
      if (run.end == RunResult::End::wrong) {
        return (run.thrown.empty() ? "its result is wrong" : run.thrown) + " [replay: seed " +
               std::to_string(options.seed) + ", policy " + to_string(options.policy) + "]";
      }
      recording_.merge(recorder.recording());
    }
    recording_.sites.resize(sites_.sites().size());
    return std::nullopt;
  }

  /// Nothing if the changed instruction was never executed: a line that only some schedules reach.
  std::optional<MutantResult> judge(const Mutant& mutant, const std::vector<MutationSite>& sites) {
    MutantResult result{.mutant = mutant};
    bool changed = false;
    for (int i = 0; i < options_.schedules; ++i) {
      Mutator mutator(sites_, mutant, recording_.sites[mutant.site]);
      Options options = schedule(i);
      options.mutator = &mutator;
      // What a mutant makes run for ever is ended, but not what it only slows down.
      options.expected_steps = recording_.steps;
      options.max_steps = std::min(options.max_steps, 20 * recording_.steps + 100'000);
      const RunResult run = run_once(run_, options);
      changed = changed || mutator.changed_something();
      options.mutator = nullptr;
      ++result.schedules;
      if (run.end == RunResult::End::reported) {
        result.outcome = Outcome::reported;
        // What is delayed may always come too late for somebody.
        if (run.report.situation.empty() || mutant.change != Change::delay) {
          result.reason = why_equivalent(sites, recording_, mutant);
        }
        result.report = run.report;
        result.options = options;
        return result;
      }
      if (run.end == RunResult::End::wrong && result.outcome != Outcome::wrong_result) {
        result.outcome = Outcome::wrong_result;
        result.reason = run.thrown;
        result.options = options;
      }
    }
    if (!changed) {
      return std::nullopt;
    }
    if (result.outcome == Outcome::survived) {
      result.reason = why_equivalent(sites, recording_, mutant);
      if (result.reason.empty() && options_.explain) {
        result.reason = options_.explain(sites[mutant.site], mutant);
      }
      result.outcome = result.reason.empty() ? Outcome::survived : Outcome::equivalent;
    }
    return result;
  }

  const std::function<bool(const Options&)>& run_;
  const MutationOptions& options_;
  SiteTable sites_;
  Recording recording_;
  bool strict_ = false;
};

}  // namespace

MutationReport mutate(const std::function<bool(const Options&)>& run,
                      const MutationOptions& options) {
  return Session(run, options).report();
}

}  // namespace warpline::simulator
