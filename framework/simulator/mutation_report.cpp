// Mutants in words.
#include <algorithm>
#include <iomanip>
#include <sstream>

#include "simulator/mutation.h"

namespace warpline::simulator {

namespace {

std::string name_of(const std::string& path) {
  return path.empty() ? "?" : path.substr(path.find_last_of('/') + 1);
}

}  // namespace

const char* to_string(Instruction instruction) {
  static constexpr const char* names[] = {"mbarrier_init",
                                          "mbarrier_arrive",
                                          "mbarrier_arrive_remote",
                                          "mbarrier_arrive_expect_tx",
                                          "mbarrier_expect_tx",
                                          "mbarrier_test_wait",
                                          "mbarrier_try_wait",
                                          "mbarrier_wait",
                                          "fence_mbarrier_init",
                                          "fence_proxy_async",
                                          "wgmma_fence",
                                          "wgmma_commit_group",
                                          "wgmma_wait_group",
                                          "bulk_commit_group",
                                          "bulk_wait_group_read",
                                          "bulk_wait_group",
                                          "syncthreads",
                                          "named_barrier_sync",
                                          "named_barrier_arrive",
                                          "cluster_arrive",
                                          "cluster_wait",
                                          "syncwarp",
                                          "setmaxnreg",
                                          "atomic_access"};
  return names[static_cast<std::size_t>(instruction)];
}

const char* to_string(Change change) {
  static constexpr const char* names[] = {
      "removed",           "twice",         "delayed",        "one arrival more",
      "one arrival fewer", "16 bytes more", "16 bytes fewer", "one group fewer",
      "reads only",        "other parity",  "other space",    "without acquire",
      "without release",   "one warp more"};
  return names[static_cast<std::size_t>(change)];
}

const char* to_string(Occurrence occurrence) {
  static constexpr const char* names[] = {"every time", "first time", "last time"};
  return names[static_cast<std::size_t>(occurrence)];
}

const char* to_string(Outcome outcome) {
  static constexpr const char* names[] = {"reported", "equivalent", "WRONG RESULT", "SURVIVED"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string MutationSite::text() const {
  std::ostringstream out;
  out << name_of(file) << ":" << line << ": " << to_string(instruction);
  if (!barrier.empty()) {
    const bool suffix =
        instruction == Instruction::setmaxnreg || instruction == Instruction::atomic_access;
    out << (suffix ? "." : " on ") << barrier;
  }
  out << " (" << (role.empty() ? "no role" : role) << ")";
  return out.str();
}

std::size_t MutationReport::count(Outcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(mutants.begin(), mutants.end(),
                    [&](const MutantResult& result) { return result.outcome == outcome; }));
}

double MutationReport::score() const {
  const std::size_t judged = mutants.size() - count(Outcome::equivalent);
  return judged == 0 ? 1
                     : static_cast<double>(count(Outcome::reported)) / static_cast<double>(judged);
}

std::string MutationReport::lines(const std::vector<Outcome>& outcomes) const {
  std::ostringstream out;
  for (const Outcome outcome : outcomes) {
    for (const MutantResult& result : mutants) {
      if (result.outcome != outcome) {
        continue;
      }
      const Mutant& mutant = result.mutant;
      out << to_string(outcome) << ": " << sites[mutant.site].text() << ", "
          << to_string(mutant.change);
      if (mutant.occurrence != Occurrence::every) {
        out << " the " << to_string(mutant.occurrence);
      }
      if (outcome == Outcome::reported) {
        out << ": " << (result.report.rule != nullptr ? result.report.rule->name : "?");
        if (!result.reason.empty()) {
          out << ", ALTHOUGH " << result.reason;
        }
      } else if (!result.reason.empty()) {
        out << ": " << result.reason;
      }
      if (outcome == Outcome::reported || outcome == Outcome::wrong_result) {
        out << " [replay: seed " << result.options.seed << ", policy "
            << to_string(result.options.policy) << "]";
      }
      out << "\n";
    }
  }
  return out.str();
}

std::string MutationReport::text() const {
  std::ostringstream out;
  out << lines({Outcome::wrong_result, Outcome::survived, Outcome::equivalent});
  out << mutants.size() << " mutants of " << sites.size()
      << " instructions: " << count(Outcome::reported) << " reported, "
      << count(Outcome::equivalent) << " equivalent, " << count(Outcome::wrong_result)
      << " wrong without a report, " << count(Outcome::survived) << " survived unexplained; score "
      << std::fixed << std::setprecision(1) << 100 * score() << " %\n";
  return out.str();
}

}  // namespace warpline::simulator
