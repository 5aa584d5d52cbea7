// Every kernel behind warpline::matmul on the simulator.
#include "tests/kernels/matmul_lines.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("every line of the matmul table, on random tasks and every policy") {
  unsigned seed = 0;
  for (const MatmulLine& line : matmul_lines()) {
    std::mt19937 random(++seed);
    for (const simulator::Policy policy : every_policy) {
      ++seed;
      check_task(line, random_task(random, 300, 300), seed,
                 simulator::Options{.seed = seed, .policy = policy});
    }
  }
}

TEST_CASE("every line of the matmul table, with k tiles around its stages") {
  unsigned seed = 1000;
  for (const MatmulLine& line : matmul_lines()) {
    for (const int k_tiles : {1, line.stages, line.stages + 1}) {
      ++seed;
      check_task(line, {.m = 9, .n = 24, .k = k_tiles * line.block_k - 3}, seed,
                 simulator::Options{.seed = seed});
    }
  }
}

TEST_CASE("cut tiles: the same bits whatever the schedule and the number of CTAs") {
  const MatmulLine& line = matmul_lines().front();
  for (const int splits : {2, 3, 5}) {
    for (const int resident : {1, 2, 4}) {
      for (unsigned seed = 1; seed <= 4; ++seed) {
        check_task(line, {.m = 300, .n = 264, .k = 320, .splits = splits, .raster = 2}, seed,
                   simulator::Options{.seed = seed, .resident_clusters = resident});
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
