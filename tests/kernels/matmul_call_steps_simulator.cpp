// The epilogue of warpline::matmul on the simulator.
#include "tests/kernels/matmul_call_steps.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("matmul: an epilogue of every operand, both ways round") {
  int exchanged = 0;
  int plain = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    // Many rows and few columns, or the other way: one takes fewer tiles of 128 x 192 this way
    // round, one that way.
    CallShape shape{.m = seed % 2 == 0 ? 20 : 600,
                    .n = seed % 2 == 0 ? 600 : 20,
                    .k = 64,
                    .batch = seed % 3 == 0 ? 2 : 1,
                    .d_type = seed % 3 == 1 ? ElementType::fp32 : ElementType::fp16,
                    .a = {.column_major = false},
                    .b = {.column_major = true},
                    .d = {.column_major = seed > 3, .padding = 1},
                    .beta = seed % 3 == 2 ? 0.5f : 0.0f};
    const bool way =
        check_steps(shape, seed, simulator::Options{.seed = seed, .policy = every_policy[seed % 3]},
                    "128x192_s");
    ++(way ? exchanged : plain);
  }
  CHECK(exchanged > 0);
  CHECK(plain > 0);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
