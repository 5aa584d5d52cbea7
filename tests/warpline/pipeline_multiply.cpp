// Stages read by wgmma: phases across tiles, every policy of release, deferred release, skipped
// tiles.
#include "tests/warpline/multiply_kernel.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

template <int Stages, Treatment How, bool Unrolled = false, Release Policy = Release::per_warp>
void check_grid(int seeds) {
  constexpr MultiplyConfig config{
      .stages = Stages, .release = Policy, .treatment = How, .unrolled = Unrolled};
  for (const int k_tiles : {1, Stages - 1, Stages, Stages + 1, 2 * Stages, 2 * Stages + 1}) {
    check_multiply<config>(3, k_tiles, seeds);
  }
}

TEST_CASE("few k tiles on a ring of four stages") {
  for (const int k_tiles : {0, 1, 2, 3, 4, 5, 9}) {
    check_multiply<MultiplyConfig{.stages = 4}>(1, k_tiles, 20);
    check_multiply<MultiplyConfig{.stages = 4, .unrolled = true}>(1, k_tiles, 20);
  }
}

TEST_CASE("3 x 3 tiles on one CTA: phases carry across tiles") {
  check_grid<2, Treatment::release_after>(5);
  check_grid<3, Treatment::release_after>(5);
  check_grid<4, Treatment::release_after>(5);
  check_grid<2, Treatment::release_after, true>(5);
  check_grid<3, Treatment::release_after, true>(5);
  check_grid<4, Treatment::release_after, true>(5);
}

TEST_CASE("every policy of release, after multiplies") {
  check_grid<3, Treatment::release_after, false, Release::per_thread>(3);
  check_grid<3, Treatment::release_after, false, Release::per_warpgroup>(3);
  check_grid<3, Treatment::end_of_scope, false, Release::per_thread>(3);
  check_grid<3, Treatment::end_of_scope, false, Release::per_warp>(3);
  check_grid<3, Treatment::end_of_scope, false, Release::per_warpgroup>(3);
  check_grid<3, Treatment::end_of_scope, true, Release::per_warp>(3);
}

TEST_CASE("a loop left with its multiply just issued") {
  check_grid<2, Treatment::break_out, false, Release::per_thread>(3);
  check_grid<3, Treatment::break_out, false, Release::per_warp>(3);
  check_grid<3, Treatment::break_out, false, Release::per_warpgroup>(3);
}

TEST_CASE("one multiply in flight, the stage before it freed") {
  check_grid<2, Treatment::deferred>(5);
  check_grid<4, Treatment::deferred>(5);
  check_grid<2, Treatment::deferred, true>(5);
  check_grid<3, Treatment::deferred, true>(5);
  check_grid<3, Treatment::deferred, false, Release::per_thread>(3);
  check_grid<3, Treatment::deferred, true, Release::per_warpgroup>(3);
}

TEST_CASE("every third k tile is committed with zero bytes, and skipped") {
  check_grid<2, Treatment::skip>(5);
  check_grid<3, Treatment::skip>(5);
  check_grid<4, Treatment::skip, true>(5);
  check_grid<4, Treatment::skip_by_default>(5);
  check_grid<3, Treatment::skip_by_default, true>(5);
  check_grid<3, Treatment::skip, false, Release::per_thread>(5);
  check_grid<3, Treatment::skip, false, Release::per_warpgroup>(5);
}

TEST_CASE("tiles are skipped while a multiply is in flight") {
  check_grid<2, Treatment::skip_deferred>(5);
  check_grid<3, Treatment::skip_deferred>(5);
  check_grid<4, Treatment::skip_deferred, true>(5);
  check_grid<3, Treatment::skip_deferred, false, Release::per_warpgroup>(5);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
