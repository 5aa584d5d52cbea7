// What tests of the simulator's checks say: this kernel breaks that rule, on every schedule, and
// its twin breaks none.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/schedules.h"

namespace warpline::tests {

using simulator::FaultKind;
using simulator::Policy;

/// What run() reports; nothing if it ends without a fault.
template <class Run>
std::optional<simulator::Report> fault_of(Run run) {
  try {
    run();
  } catch (const simulator::SimulationFault& fault) {
    return fault.report;
  }
  return std::nullopt;
}

/// What run() must report.
template <class Run>
simulator::Report report_of(Run run) {
  try {
    run();
  } catch (const simulator::SimulationFault& fault) {
    return fault.report;
  }
  FAIL("no fault was found");
  return {};
}

/// On which schedules a fault must be found. One that shows by order alone (docs/design.md) is sure
/// only where copies and multiplies come as late as they may.
struct Schedules {
  std::vector<Policy> policies = {Policy::fair, Policy::random, Policy::adversarial};
  int seeds = 10;
};

/// run(options) must report one of `kinds`, with all of `words` in its text, on each of
/// `schedules`.
template <class Run>
void faults(std::initializer_list<FaultKind> kinds, std::initializer_list<const char*> words,
            Run run, const Schedules& schedules = {}) {
  with_schedules(schedules.policies, schedules.seeds, [&](const simulator::Options& options) {
    const simulator::Report report = report_of([&] { run(options); });
    INFO(report.text());
    REQUIRE(std::find(kinds.begin(), kinds.end(), report.kind) != kinds.end());
    for (const char* word : words) {
      REQUIRE_THAT(report.text(), Catch::Matchers::ContainsSubstring(word));
    }
  });
}

template <class Run>
void faults(FaultKind kind, std::initializer_list<const char*> words, Run run,
            const Schedules& schedules = {}) {
  faults({kind}, words, run, schedules);
}

/// run(options) must report nothing, whatever the schedule.
template <class Run>
void clean(Run run, const Schedules& schedules = {}) {
  with_schedules(schedules.policies, schedules.seeds, [&](const simulator::Options& options) {
    const auto fault = fault_of([&] { run(options); });
    INFO((fault ? fault->text() : ""));
    REQUIRE_FALSE(fault.has_value());
  });
}

/// A launch of one cluster of `ctas` CTAs along x, each with a `Shared` in shared memory.
template <class Shared>
simulator::Launch one_cluster(unsigned ctas, unsigned threads) {
  return {.kernel = "test",
          .grid = {ctas, 1, 1},
          .cluster = {ctas, 1, 1},
          .threads = threads,
          .shared_bytes = sizeof(Shared)};
}

/// The same with one CTA.
template <class Shared>
simulator::Launch one_cta(unsigned threads) {
  return one_cluster<Shared>(1, threads);
}

/// Runs body(shared) in every thread.
template <class Shared, class Body>
simulator::Statistics simulate_with(const simulator::Launch& launch,
                                    const simulator::Options& options, Body body) {
  return simulator::simulate(launch, options,
                             [&](void* shared) { body(*static_cast<Shared*>(shared)); });
}

}  // namespace warpline::tests
