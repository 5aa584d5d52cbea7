// One problem on one target: made once, then runs any number of kernels on it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "samples/support/gpu.h"
#include "samples/support/result.h"
#include "samples/support/timeline.h"
#include "simulator/explore.h"

namespace sample {

/// What the simulator found: one report for each cause.
class FaultsFound : public std::runtime_error {
 public:
  explicit FaultsFound(warpline::simulator::Exploration what)
      : std::runtime_error(what.text()), found(std::move(what)) {}
  warpline::simulator::Exploration found;
};

struct Job {
  Size size;
  std::uint64_t seed = 1;
  bool check = true;
  // Simulator.
  std::vector<warpline::simulator::Policy> policies = {warpline::simulator::Policy::random};
  int schedules = 1;
  bool strict = false;
  TraceOptions trace;
  // GPU.
  bool bench = false;
  bool vendor_lt = false;
  int pairs = 50;
  bool sustained = true;
  double load_seconds = 2;
};

class Runner {
 public:
  virtual ~Runner() = default;

  /// What it runs on, for people.
  virtual std::string place() const = 0;

  /// What the user should know before the results, a line each.
  virtual std::vector<std::string> notes() const { return {}; }

  /// `raster` is MatmulProblem's. Throws Error if the kernel cannot take the problem,
  /// FaultsFound if the simulator finds faults.
  virtual Result run(const warpline::MatmulKernel& kernel, int raster) = 0;
};

std::unique_ptr<Runner> make_simulator_runner(const Job& job);

#if WARPLINE_HAS_GPU
/// After why_no_gpu() has found one.
std::unique_ptr<Runner> make_gpu_runner(const Job& job);
#endif

}  // namespace sample
