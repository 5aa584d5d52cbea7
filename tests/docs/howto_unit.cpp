// [unit]
// Compiled once per target.
#include "tests/docs/howto_unit.h"

#include "tests/docs/howto_kernel.h"

namespace example {

static void run(const ScaledAddProblem& p, const warpline::Stream& stream, uint32_t max_ctas) {
  scaled_add(stream, p.alpha, {p.x, p.rows, p.columns, p.stride},
             {p.y, p.rows, p.columns, p.stride}, max_ctas);
}

#if WARPLINE_ON_GPU
void scaled_add_on_gpu(const ScaledAddProblem& problem, void* stream) {
  run(problem, static_cast<cudaStream_t>(stream), 2 * 132);
}
#else
void scaled_add_on_simulator(const ScaledAddProblem& problem,
                             const warpline::simulator::Options& options) {
  run(problem, {.options = options}, 4);
}
#endif

}  // namespace example
// [unit]
