// How long a schedule takes on the simulator, and how much memory: two matmuls under every policy,
// all checks on.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "matmul/catalog.h"

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

/// Milliseconds of processor time of each schedule, sorted.
std::vector<double> time_schedules(const Load& load, Policy policy, int schedules) {
  const auto elements = [](std::int64_t rows, std::int64_t columns) {
    return std::vector<std::uint16_t>(static_cast<std::size_t>(rows * columns), 0x3c00);
  };
  const auto a = elements(load.m, load.k);
  const auto b = elements(load.n, load.k);
  auto c = elements(load.m, load.n);
  const warpline::MatmulPlan plan(find(load), {.a = a.data(),
                                               .b = b.data(),
                                               .c = c.data(),
                                               .m = load.m,
                                               .n = load.n,
                                               .k = load.k,
                                               .a_stride = load.k,
                                               .b_stride = load.k,
                                               .c_stride = load.n});
  std::vector<double> milliseconds;
  for (int i = 0; i < schedules; ++i) {
    const std::clock_t start = std::clock();
    plan.run({.simulator = {.seed = static_cast<std::uint64_t>(i) + 1, .policy = policy}});
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Prints how long one schedule takes on the simulator (median and slowest, processor time of "
      "one core) and the most memory that the program has held."};
  int schedules = 11;
  app.add_option("--schedules", schedules, "Schedules for each policy")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  CLI11_PARSE(app, argc, argv);
  try {
    for (const Load& load : loads) {
      fmt::print("{} ({}): {} x {} x {}, promised under {} ms a schedule\n", load.kernel,
                 load.title, load.m, load.n, load.k, load.promised);
      for (const Policy policy :
           {Policy::fair, Policy::random, Policy::adversarial, Policy::priorities}) {
        const auto milliseconds = time_schedules(load, policy, schedules);
        fmt::print("  {:<12} median {:7.1f} ms, slowest {:7.1f} ms\n", to_string(policy),
                   milliseconds[milliseconds.size() / 2], milliseconds.back());
      }
    }
    fmt::print("peak memory {:.0f} MB, promised under 200 MB\n", peak_megabytes());
  } catch (const std::exception& error) {
    fmt::print(stderr, "simulator_speed: {}\n", error.what());
    return 1;
  }
  return 0;
}
