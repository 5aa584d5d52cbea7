// Grids that launch refuses, and those it takes.
#include "warpline/launch.h"

#include "tests/support/catch.h"
#include "tests/support/device_array.h"
#include "warpline/isa/memory.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Counter {
  static constexpr RoleConfig config{.name = "counter", .warps = 1};
};

/// Each CTA writes its place in the grid.
struct CountKernel {
  using Roles = RoleList<Counter>;
  struct Arguments {
    uint32_t* out;
  };
  struct SharedMemory {
    int nothing;
  };
  static constexpr LaunchConfig launch{.name = "count", .cluster = {2, 3}};
  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory&) const {
    const auto block = isa::block_index();
    const auto grid = isa::grid_size();
    if (isa::thread_index() == 0) {
      isa::store_global(arguments.out + block.x + grid.x * (block.y + grid.y * block.z),
                        block.x + 100 * block.y + 10000 * block.z);
    }
  }
};

std::string refusal_of(isa::Index3 grid) {
  const DeviceArray<uint32_t> out(std::vector<uint32_t>(1));
  try {
    launch<CountKernel>(Stream{}, grid, {out.data()});
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("grids that do not exist") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(refusal_of({0, 3, 1}),
             ContainsSubstring("kernel count: a grid of 0 CTAs in x; 1 to 2147483647"));
  CHECK_THAT(refusal_of({2, 0, 1}), ContainsSubstring("a grid of 0 CTAs in y"));
  CHECK_THAT(refusal_of({2, 3, 0}), ContainsSubstring("a grid of 0 CTAs in z"));
  CHECK_THAT(refusal_of({2, 65538, 1}), ContainsSubstring("a grid of 65538 CTAs in y; 1 to 65535"));
  CHECK_THAT(refusal_of({2, 3, 65536}), ContainsSubstring("a grid of 65536 CTAs in z; 1 to 65535"));
  CHECK_THAT(refusal_of({3, 3, 1}),
             ContainsSubstring("a grid of 3 CTAs in x is no multiple of the cluster's 2"));
  CHECK_THAT(refusal_of({2, 4, 1}),
             ContainsSubstring("a grid of 4 CTAs in y is no multiple of the cluster's 3"));
}

TEST_CASE("every CTA of a grid of clusters runs") {
  constexpr isa::Index3 grid{4, 6, 2};
  const DeviceArray<uint32_t> out(std::vector<uint32_t>(48, ~0u));
  launch<CountKernel>(Stream{}, grid, {out.data()});
  const std::vector<uint32_t> seen = out.values();
  for (uint32_t i = 0; i < 48; ++i) {
    CHECK(seen[i] == i % 4 + 100 * (i / 4 % 6) + 10000 * (i / 24));
  }
}

#if !WARPLINE_ON_GPU
TEST_CASE("a launch on the simulator reports what it took") {
  const DeviceArray<uint32_t> out(std::vector<uint32_t>(6));
  simulator::Statistics statistics;
  launch<CountKernel>({.options = {.seed = 5}, .statistics = &statistics}, {2, 3, 1}, {out.data()});
  CHECK(statistics.steps >= 6);
}
#endif

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
