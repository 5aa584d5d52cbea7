// How long a schedule takes on the simulator, and how much memory: two matmuls under every policy,
// all checks on. Exit status: 1 if something failed, 2 if the command line is wrong.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "matmul/catalog.h"
#include "samples/support/program.h"
#include "samples/support/timeline.h"
#include "samples/support/usage_error.h"
#include "simulator/recording.h"

namespace {

using warpline::simulator::Policy;

struct Load {
  const char* title;
  const char* kernel;
  int stages;
  int block_m;
  int block_n;
  int block_k;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  /// What the project promises, in milliseconds a schedule on one core in the Release build.
  double promised;
};

constexpr Load loads[] = {
    {"warp-specialised, 160 threads", "warp_specialized", 2, 128, 128, 64, 128, 256, 320, 25},
    {"persistent, clusters of 2, 384 threads", "cooperative", 4, 128, 256, 64, 512, 512, 256, 400},
};

const warpline::MatmulKernel& find(const Load& load) {
  for (const auto& kernel : warpline::simulator_matmul_kernels()) {
    if (std::string(kernel.name) == load.kernel && kernel.stages == load.stages &&
        kernel.block_m == load.block_m && kernel.block_n == load.block_n &&
        kernel.block_k == load.block_k && kernel.static_n == 0 && kernel.static_k == 0) {
      return kernel;
    }
  }
  throw std::runtime_error(fmt::format("the catalog has no {} {} x {} x {} with {} stages",
                                       load.kernel, load.block_m, load.block_n, load.block_k,
                                       load.stages));
}

/// A load, ready to run.
class Problem {
 public:
  explicit Problem(const Load& load)
      : a_(elements(load.m, load.k)),
        b_(elements(load.n, load.k)),
        c_(elements(load.m, load.n)),
        plan_(find(load), {.a = a_.data(),
                           .b = b_.data(),
                           .c = c_.data(),
                           .m = load.m,
                           .n = load.n,
                           .k = load.k,
                           .a_stride = load.k,
                           .b_stride = load.k,
                           .c_stride = load.n}) {}

  void run(const warpline::simulator::Options& options) const { plan_.run({.simulator = options}); }

 private:
  static std::vector<std::uint16_t> elements(std::int64_t rows, std::int64_t columns) {
    return std::vector<std::uint16_t>(static_cast<std::size_t>(rows * columns), 0x3c00);
  }

  std::vector<std::uint16_t> a_;
  std::vector<std::uint16_t> b_;
  std::vector<std::uint16_t> c_;
  warpline::MatmulPlan plan_;
};

/// Milliseconds of processor time of each schedule, sorted.
std::vector<double> time_schedules(const Problem& problem, Policy policy, int schedules) {
  std::vector<double> milliseconds;
  for (int i = 0; i < schedules; ++i) {
    const std::clock_t start = std::clock();
    problem.run({.seed = static_cast<std::uint64_t>(i) + 1, .policy = policy});
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct CommandLine {
  int schedules = 11;
  std::string kernel;  ///< empty: both
  sample::TraceOptions trace;
};

int run(const CommandLine& line) {
  if (line.trace.wanted() && line.kernel.empty()) {
    throw sample::UsageError("--trace is of one kernel: choose one with --kernel");
  }
  sample::check_trace_files(line.trace);
  for (const Load& load : loads) {
    if (!line.kernel.empty() && line.kernel != load.kernel) {
      continue;
    }
    fmt::print("{} ({}): {} x {} x {}, promised under {} ms a schedule\n", load.kernel, load.title,
               load.m, load.n, load.k, load.promised);
    const Problem problem(load);
    for (const Policy policy :
         {Policy::fair, Policy::random, Policy::adversarial, Policy::priorities}) {
      const auto milliseconds = time_schedules(problem, policy, line.schedules);
      fmt::print("  {:<12} median {:7.1f} ms, slowest {:7.1f} ms\n", to_string(policy),
                 milliseconds[milliseconds.size() / 2], milliseconds.back());
    }
    if (line.trace.wanted()) {
      warpline::simulator::TimelineRecording recording;
      problem.run(sample::traced_options(line.trace, 1, recording));
      sample::report_trace(line.trace, recording.take());
    }
  }
  fmt::print("peak memory {:.0f} MB, promised under 200 MB\n", peak_megabytes());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Prints how long one schedule takes on the simulator (median and slowest, processor time of "
      "one core) and the most memory that the program has held.",
      "simulator_speed"};
  CommandLine line;
  app.add_option("--schedules", line.schedules, "Schedules for each policy")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--kernel", line.kernel, "Only this one: warp_specialized or cooperative")
      ->check(CLI::IsMember({loads[0].kernel, loads[1].kernel}));
  sample::add_trace_options(app, line.trace);
  int status = 0;
  if (!sample::parse(app, argc, argv, status)) {
    return status;
  }
  return sample::exit_status_of("simulator_speed", [&] { return run(line); });
}
