// Every matmul kernel of the catalog on the simulator: exact on small integers, whatever the shape
// and the schedule.
#include <algorithm>

#include "tests/kernels/matmul_case.h"
#include "tests/support/catch.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

/// One CTA multiplies a tile of this many elements of K per step; larger problems take the
/// simulator too long.
bool is_small(const MatmulKernel& kernel) { return kernel.static_n <= 1024; }

void check_exact(const MatmulKernel& kernel, const MatmulShape& shape, unsigned seed,
                 const simulator::Options& options) {
  INFO(name_of(kernel) << ": " << to_string(shape) << ", policy " << to_string(options.policy)
                       << ", seed " << options.seed);
  const MatmulCase problem(shape, MatmulCase::Values::integers, seed);
  MatmulPlan(kernel, problem.problem()).run({.simulator = options});
  REQUIRE(problem.exact_error().empty());
}

TEST_CASE("every kernel, on random shapes with tails and every policy") {
  unsigned seed = 0;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (!is_small(kernel)) {
      continue;
    }
    std::mt19937 random(++seed);
    for (const simulator::Policy policy : every_policy) {
      for (int run = 0; run < 4; ++run) {
        ++seed;
        check_exact(kernel, random_shape(kernel, 200, random), seed,
                    {.seed = seed, .policy = policy});
      }
    }
  }
}

TEST_CASE("every kernel, with k tiles around its stages") {
  unsigned seed = 1000;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (kernel.static_k != 0) {
      continue;
    }
    for (const int k_tiles : {1, kernel.stages - 1, kernel.stages, kernel.stages + 1}) {
      ++seed;
      check_exact(kernel, {.m = 9, .n = 24, .k = k_tiles * kernel.block_k}, seed, {.seed = seed});
      check_exact(kernel, {.m = 9, .n = 24, .k = k_tiles * kernel.block_k - 3}, seed,
                  {.seed = seed});
    }
  }
}

TEST_CASE("extents around the tile's, one by one") {
  const MatmulKernel& kernel = matmul_kernels().front();
  unsigned seed = 2000;
  for (const std::int64_t extent : {1, 7, 8, 63, 64, 65, 127, 128, 129, 255, 257}) {
    ++seed;
    check_exact(kernel, {.m = extent, .n = 5, .k = 16}, seed, {.seed = seed});
    check_exact(kernel, {.m = 5, .n = extent, .k = 16}, seed, {.seed = seed});
    check_exact(kernel, {.m = 5, .n = extent, .k = 16, .c_padding = 1}, seed, {.seed = seed});
    check_exact(kernel, {.m = 5, .n = 5, .k = std::min<std::int64_t>(extent, 200)}, seed,
                {.seed = seed});
  }
}

TEST_CASE("one cluster, four or all at a time") {
  for (const MatmulKernel* kernel : {&matmul_kernels().front(), &matmul_kernels().back()}) {
    for (const int resident : {1, 4, 1000}) {
      check_exact(*kernel, {.m = 600, .n = 600, .k = 40}, 3000,
                  {.seed = 3, .resident_clusters = resident});
    }
  }
}

TEST_CASE("random reals: relative error against fp64 sums") {
  unsigned seed = 4000;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (!is_small(kernel)) {
      continue;
    }
    INFO(name_of(kernel));
    ++seed;
    const MatmulCase problem({.m = 60,
                              .n = kernel.static_n != 0 ? kernel.static_n : 72,
                              .k = kernel.static_k != 0 ? kernel.static_k : 150},
                             MatmulCase::Values::reals, seed);
    MatmulPlan(kernel, problem.problem()).run({.simulator = {.seed = seed}});
    const double error = problem.relative_error();
    CHECK(error < 1e-3);
    CHECK(error > 1e-6);  // fp16 cannot be better
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
