// Matmuls with epilogues fixed at compile time, on the simulator.
#include "tests/kernels/matmul_composed.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("an epilogue of one's own: bias, and ten lines of the test") {
  unsigned seed = 0;
  for (const simulator::Policy policy : every_policy) {
    for (const std::int64_t n : {1, 64, 139}) {
      ++seed;
      check_composed(simulator::Options{.seed = seed, .policy = policy}, 137, n, 90, seed);
    }
  }
}

TEST_CASE("gated pairs: SwiGLU of two column blocks") {
  unsigned seed = 100;
  for (const simulator::Policy policy : every_policy) {
    for (const std::int64_t n : {8, 64, 136}) {
      ++seed;
      check_gated<small_tiles>(simulator::Options{.seed = seed, .policy = policy}, 150, n, 300,
                               seed);
      check_gated<small_tiles_along_n>(simulator::Options{.seed = seed, .policy = policy}, 70, n,
                                       40, seed);
    }
  }
  check_gated<small_tiles>(simulator::Options{}, 9, 13, 20, 7);
}

TEST_CASE("gated pairs: what is refused") {
  const ComposedCase odd(8, 7, 16, 1, Placement::Way::columns, 1);
  PlacedMatrix d(ElementType::fp16, 8, 3, 1, {});
  d.upload();
  const auto run = [&](const MutableMatrix& out) {
    gated_matmul_with<__half, ElementType::fp16, small_tiles>(simulator::Options{}, out, odd.a(),
                                                              odd.b(), SwiGlu{});
  };
  REQUIRE_THROWS_WITH(run(ComposedCase::view(d)), Catch::Matchers::ContainsSubstring("no pairs"));
  REQUIRE_THROWS_WITH(run({nullptr, ElementType::fp32, 8, 3, 3}),
                      Catch::Matchers::ContainsSubstring("the kernel stores fp16"));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
