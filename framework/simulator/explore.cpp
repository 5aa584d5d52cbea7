#include "simulator/explore.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "simulator/explorer.h"

namespace warpline::simulator {

namespace {

/// Keeps one report for each cause.
class Collector {
 public:
  explicit Collector(std::vector<Report>& reports) : reports_(&reports) {}

  void run_once(const Run& run, const Options& options) {
    try {
      run(options);
    } catch (const SimulationFault& fault) {
      if (causes_.insert(fault.report.cause()).second) {
        reports_->push_back(fault.report);
      }
    }
  }

 private:
  std::vector<Report>* reports_;
  std::set<std::string> causes_;
};

}  // namespace

std::string Exploration::text() const {
  std::ostringstream out;
  out << (reports.empty() ? "no fault in " : "") << schedules << " schedule"
      << (schedules == 1 ? "" : "s");
  if (states != 0) {
    out << " (" << states << " states, " << (complete ? "all that differ" : "not all") << ")";
  }
  for (const Report& report : reports) {
    out << "\n" << report.text();
  }
  return out.str();
}

Exploration explore(const ExploreOptions& options, const Run& run) {
  Exploration found;
  Collector collect(found.reports);
  Options each = options.base;
  for (int i = 0; i < options.schedules; ++i) {
    if (found.reports.size() >= static_cast<std::size_t>(std::max(1, options.max_reports))) {
      break;
    }
    each.policy = options.policies[static_cast<std::size_t>(i) % options.policies.size()];
    each.seed = options.base.seed + static_cast<std::uint64_t>(i) / options.policies.size();
    ++found.schedules;
    collect.run_once(run, each);
  }
  return found;
}

Exploration exhaust(const ExhaustOptions& options, const Run& run) {
  Exploration found;
  Collector collect(found.reports);
  Explorer explorer(options.reduce);
  Options each = options.base;
  each.policy = Policy::exhaustive;
  each.explorer = &explorer;
  bool more = true;
  while (more && found.schedules < options.max_schedules &&
         found.reports.size() < static_cast<std::size_t>(std::max(1, options.max_reports))) {
    explorer.begin_path();
    try {
      collect.run_once(run, each);
      ++found.schedules;
    } catch (const Explorer::Redundant&) {
      // Every way on was seen from elsewhere.
    }
    more = explorer.next_path();
  }
  found.complete = !more;
  found.states = explorer.states();
  found.longest = explorer.longest();
  return found;
}

}  // namespace warpline::simulator
