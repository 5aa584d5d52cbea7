// Many schedules of one kernel, or all of them. Part of the simulator's public face.
//
//   const Exploration found = explore({.schedules = 300}, [&](const Options& options) {
//     warpline::launch<MyKernel>(Stream{.options = options}, grid, arguments);
//   });
//
// `run` launches the kernel with the options that it is given, and must start from the same inputs
// each time. It may check the result and throw: that ends the exploration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/simulate.h"

namespace warpline::simulator {

using Run = std::function<void(const Options&)>;

struct ExploreOptions {
  /// Options of each schedule but seed and policy. Its seed is the first one.
  Options base = {};
  /// In turns.
  std::vector<Policy> policies = {Policy::fair, Policy::random, Policy::adversarial,
                                  Policy::priorities};
  int schedules = 100;
  /// Ends the exploration: faults of this many different causes.
  int max_reports = 8;
};

struct ExhaustOptions {
  /// Options of each schedule but policy and seed.
  Options base = {};
  /// Ends the exploration: schedules, ...
  std::uint64_t max_schedules = 1'000'000;
  /// ... faults of this many different causes.
  int max_reports = 1;
  /// False: every order of all steps, for tests of the reduction itself.
  bool reduce = true;
};

/// What an exploration found.
struct Exploration {
  std::vector<Report> reports;  ///< one for each cause, the first found of it
  std::uint64_t schedules = 0;  ///< that were run
  std::uint64_t states = 0;     ///< exhaust: steps, those on a common path counted once
  std::uint64_t longest = 0;    ///< exhaust: steps of the longest schedule
  /// exhaust: every schedule is equivalent to one that was run.
  bool complete = false;

  /// "no fault in 300 schedules", or the reports.
  std::string text() const;
};

/// Runs `schedules` schedules with seeds from `base.seed` on.
Exploration explore(const ExploreOptions& options, const Run& run);

/// Runs one of each class of equivalent schedules: two are equivalent if they differ only in the
/// order of steps that do not influence each other. For small kernels: a ring of a few stages, a
/// few tiles, few warps. Steps are those of warps between two synchronising instructions, and
/// whole copies and multiplies. Kernels that poll (mbarrier_test_wait, try_acquire) in a loop have
/// schedules without end; `base.max_steps` cuts them, as a fault.
Exploration exhaust(const ExhaustOptions& options, const Run& run);

/// The report that run(options) ends with, if any.
template <class Launch>
std::vector<Report> reports_of(const Options& options, Launch run) {
  try {
    run(options);
  } catch (const SimulationFault& fault) {
    return {fault.report};
  }
  return {};
}

}  // namespace warpline::simulator
