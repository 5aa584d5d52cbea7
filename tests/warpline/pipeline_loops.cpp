// Both loop forms of a Pipeline's ends: any number of stages, of tiles, and of turns in each.
#include "tests/warpline/sum_kernel.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

/// Loops that end before, at and after each turn of the ring, in a persistent kernel: phases carry
/// across tiles.
template <int Stages, bool Unrolled>
void check_loops() {
  constexpr SumConfig config{.stages = Stages, .unrolled = Unrolled};
  for (const int k_tiles : {0, 1, Stages - 1, Stages, Stages + 1, 2 * Stages, 2 * Stages + 1}) {
    for (const int tiles : {1, 2, 9}) {
      check_sums<config>(tiles, k_tiles, 4);
    }
  }
}

TEST_CASE("loops over a ring of one stage") {
  check_loops<1, false>();
  check_loops<1, true>();
}

TEST_CASE("loops over a ring of two stages") {
  check_loops<2, false>();
  check_loops<2, true>();
}

TEST_CASE("loops over a ring of three stages") {
  check_loops<3, false>();
  check_loops<3, true>();
}

TEST_CASE("loops over a ring of four stages") {
  check_loops<4, false>();
  check_loops<4, true>();
}

TEST_CASE("loops over a ring of seven stages") {
  check_loops<7, false>();
  check_loops<7, true>();
}

TEST_CASE("many tiles of one k tile each") {
  check_sums<SumConfig{.stages = 4}>(40, 1, 10);
  check_sums<SumConfig{.stages = 4, .unrolled = true}>(40, 1, 10);
}

TEST_CASE("a kernel without tiles does nothing and ends") {
  check_sums<SumConfig{.stages = 4}>(0, 5, 10);
  check_sums<SumConfig{.stages = 4, .unrolled = true}>(0, 5, 10);
}

TEST_CASE("every policy of release, by ordinary readers") {
  check_sums<SumConfig{.stages = 2, .release = Release::per_thread}>(3, 5, 20);
  check_sums<SumConfig{.stages = 2, .release = Release::per_warp}>(3, 5, 20);
  check_sums<SumConfig{.stages = 2, .release = Release::per_warpgroup}>(3, 5, 20);
}

TEST_CASE("readers of one, of three and of eight warps") {
  check_sums<SumConfig{.stages = 2, .release = Release::per_thread, .consumer_warps = 1}>(2, 5, 10);
  check_sums<SumConfig{.stages = 2, .consumer_warps = 1}>(2, 5, 10);
  check_sums<SumConfig{.stages = 2, .consumer_warps = 3}>(2, 5, 10);
  check_sums<SumConfig{.stages = 2, .consumer_warps = 8}>(2, 5, 10);
  check_sums<SumConfig{.stages = 2, .release = Release::per_warpgroup, .consumer_warps = 8}>(2, 5,
                                                                                             10);
}

TEST_CASE("a filling role of several warps") {
  // Only its leader fills: the other warps must not hold it up, nor be lapped by it.
  check_sums<SumConfig{.stages = 2, .producer_warps = 4}>(3, 7, 20);
  check_sums<SumConfig{.stages = 3, .producer_warps = 2, .unrolled = true}>(3, 7, 20);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
