// What each version of the ladder has to get right, on whichever target: exact on small integers,
// on shapes with edges everywhere.
#pragma once

#include <string>
#include <vector>

#include "samples/ladder/catalog.h"
#include "samples/ladder/shapes.h"
#include "tests/kernels/matmul_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// This target's kernels of one version.
inline std::vector<MatmulKernel> ladder_kernels(const std::string& version) {
#if WARPLINE_ON_GPU
  const auto& all = ladder::gpu_kernels();
#else
  const auto& all = ladder::simulator_kernels();
#endif
  std::vector<MatmulKernel> found;
  for (const MatmulKernel& kernel : all) {
    if (kernel.name == "ladder_" + version) {
      found.push_back(kernel);
    }
  }
  return found;
}

/// Few of each kind: CI runs them all. The program's --shapes has more.
inline std::vector<ladder::Shape> ladder_shapes(const MatmulKernel& kernel, unsigned seed) {
  std::vector<ladder::Shape> shapes = ladder::squares(47);
  for (const auto& more : {ladder::tails(kernel), ladder::around_stages(kernel),
                           ladder::empty_shapes(), ladder::random_shapes(6, seed)}) {
    shapes.insert(shapes.end(), more.begin(), more.end());
  }
  return shapes;
}

/// check(case, plan) must run the plan somehow and compare, for every kernel, raster and shape.
template <class Check>
void on_every_ladder_problem(const std::string& version, Check check) {
  const std::vector<MatmulKernel> kernels = ladder_kernels(version);
  REQUIRE_FALSE(kernels.empty());
  unsigned seed = 0;
  for (const MatmulKernel& kernel : kernels) {
    for (const ladder::Shape& shape : ladder_shapes(kernel, 77)) {
      ++seed;
      // With and without elements between the rows; rows of nothing need some.
      const std::int64_t padding = shape.n == 0 ? 8 : seed % 3;
      MatmulCase operands({.m = shape.m, .n = shape.n, .k = shape.k, .c_padding = padding},
                          MatmulCase::Values::integers, seed);
      MatmulProblem problem = operands.problem();
      // 1, 2, 4 and 8 rows, and the plain order.
      problem.raster = kernel.takes_raster ? (1 << seed % 5) % 16 : 0;
      INFO(name_of(kernel) << ": " << shape.m << " x " << shape.n << " x " << shape.k << ", raster "
                           << problem.raster << ", seed " << seed);
      check(operands, MatmulPlan(kernel, problem), seed);
    }
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
