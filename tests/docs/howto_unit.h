// Knows neither target: programs include it, whatever compiles them.
#pragma once

#include <cstdint>

#include "simulator/options.h"

namespace example {

// [declarations]
struct ScaledAddProblem {
  float alpha;
  const float* x;
  float* y;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
};

void scaled_add_on_gpu(const ScaledAddProblem& problem, void* stream);
void scaled_add_on_simulator(const ScaledAddProblem& problem,
                             const warpline::simulator::Options& options);
// [declarations]

}  // namespace example
