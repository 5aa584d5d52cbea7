// The six versions of the ladder on the simulator: exact on small integers, for all sizes.
#include <vector>

#include "matmul/warp_specialized_entry.h"
#include "samples/ladder/v0.h"
#include "samples/ladder/v1.h"
#include "samples/ladder/v2.h"
#include "samples/ladder/v4.h"
#include "samples/ladder/v5.h"
#include "tests/support/catch.h"

namespace {

using ladder::LadderConfig;
using namespace warpline;  // NOLINT(google-build-using-namespace): a test

struct Size {
  int m;
  int n;
  int k;
};

// Tails in each dimension; k tiles below, at and above the stages; several tiles.
constexpr Size sizes[] = {{1, 1, 1},      {64, 40, 16},    {128, 128, 64},  {129, 127, 65},
                          {200, 72, 130}, {130, 260, 192}, {257, 129, 320}, {128, 128, 0},
                          {0, 128, 64},   {128, 0, 64}};

void check(const MatmulKernel& kernel, const Size& size, std::uint64_t seed,
           simulator::Policy policy) {
  const std::int64_t stride = (size.k + 7) / 8 * 8;
  const auto count = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  };
  std::vector<__half> a(count(size.m + 1, stride));
  std::vector<__half> b(count(size.n + 1, stride));
  const __half poison = __ushort_as_half(0x7e00);
  std::vector<__half> c(count(size.m, size.n) + 1, poison);
  unsigned state = static_cast<unsigned>(seed);
  const auto small = [&] {
    state = state * 1664525 + 1013904223;
    return __float2half(static_cast<float>(static_cast<int>(state >> 24) % 7 - 3));
  };
  for (auto* operand : {&a, &b}) {
    for (__half& element : *operand) {
      element = small();
    }
  }
  const MatmulPlan plan(
      kernel, {a.data(), b.data(), c.data(), size.m, size.n, size.k, stride, stride, size.n});
  MatmulPlace place;
  place.simulator.seed = seed;
  place.simulator.policy = policy;
  plan.run(place);
  for (int m = 0; m < size.m; ++m) {
    for (int n = 0; n < size.n; ++n) {
      float expected = 0;
      for (int k = 0; k < size.k; ++k) {
        expected += __half2float(a[static_cast<std::size_t>(m * stride + k)]) *
                    __half2float(b[static_cast<std::size_t>(n * stride + k)]);
      }
      const float found = __half2float(c[static_cast<std::size_t>(m) * size.n + n]);
      if (!(found == __half2float(__float2half(expected)))) {
        FAIL(kernel.name << ": C[" << m << "," << n << "] is " << found << ", not " << expected);
      }
    }
  }
  REQUIRE(__half_as_ushort(c.back()) == 0x7e00);
}

template <template <LadderConfig> class Version, LadderConfig Config>
void check_version(const char* name) {
  constexpr auto entry = MatmulEntry<ladder::LadderHost<Version<Config>, Config>>::line("ladder");
  INFO(name);
  std::uint64_t seed = 1;
  for (const Size& size : sizes) {
    INFO(size.m << " x " << size.n << " x " << size.k);
    for (const auto policy :
         {simulator::Policy::fair, simulator::Policy::random, simulator::Policy::adversarial}) {
      check(entry, size, seed++, policy);
    }
  }
}

TEST_CASE("ladder v0: TMA and mma.sync") {
  check_version<ladder::V0, LadderConfig{.stages = 1}>("v0");
}
TEST_CASE("ladder v1: wgmma, one stage") {
  check_version<ladder::V1, LadderConfig{.stages = 1}>("v1");
}
TEST_CASE("ladder v2: a ring filled by the same warps") {
  check_version<ladder::V2, LadderConfig{.stages = 2}>("v2, 2 stages");
  check_version<ladder::V2, LadderConfig{.stages = 4, .block_k = 32}>("v2, 4 stages");
}
TEST_CASE("ladder v4: pipeline, raster, one multiply in flight") {
  check_version<ladder::V4, LadderConfig{.stages = 3, .raster = 2}>("v4, 3 stages");
  check_version<ladder::V4, LadderConfig{.stages = 2, .block_n = 64, .block_k = 16}>(
      "v4, 2 stages");
}
TEST_CASE("ladder v5: two consumer warpgroups") {
  check_version<ladder::V5, LadderConfig{.stages = 3, .block_n = 256, .raster = 4}>(
      "v5, 128 x 256");
  check_version<ladder::V5, LadderConfig{.stages = 2, .block_m = 256, .block_k = 32}>(
      "v5, 256 x 128");
}

}  // namespace
