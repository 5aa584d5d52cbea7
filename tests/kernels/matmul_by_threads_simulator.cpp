// Kernels that fill by threads on the simulator.
#include "tests/kernels/matmul_by_threads.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("filling by threads: lines of every length, dense and with gaps, at any address") {
  check_all_lines(simulator::Options{}, false);
}

TEST_CASE("filling by threads: the same whatever the schedule") {
  for (const MatmulLine& line : matmul_lines()) {
    if (line.fill != Fill::threads || line.type != ElementType::fp16) {
      continue;
    }
    for (unsigned seed = 1; seed <= 24; ++seed) {
      check_lines(line,
                  {.lines = 67,
                   .length = 131 + seed % 3 * 64,
                   .a_along_k = seed % 2 == 0,
                   .b_along_k = seed % 4 < 2,
                   .gap = seed % 5 == 0 ? 3 : 0,
                   .offset = seed % 9},
                  simulator::Options{.seed = seed, .policy = every_policy[seed % 3]});
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
