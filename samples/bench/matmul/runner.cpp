#include "samples/bench/matmul/runner.h"

namespace bench {

warpline::MatmulOptions options_of(const Forced& how) {
  return {.deterministic = !how.nondeterministic,
          .kernel = how.kernel,
          .splits = how.splits,
          .raster = how.raster};
}

warpline::PreparedMatmul plan_of(const warpline::Place& place, const Shape& shape, const void* a,
                                 const void* b, void* d, const warpline::MatmulOptions& options) {
  const auto& [name, m, n, k, type] = shape;
  return warpline::matmul_plan(place, warpline::MutableMatrix(d, type, m, n, n),
                               warpline::Matrix(a, type, m, k, k),
                               warpline::Matrix(b, type, k, n, 1, k), options);
}

}  // namespace bench
