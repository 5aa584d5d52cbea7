// Sums of a cluster's CTAs on the simulator.
#include "tests/warpline/cluster_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("a cluster's sums: in the order of its CTAs, whatever the schedule") {
  check_cluster_sums_of_all_shapes();
}

TEST_CASE("a cluster's shares are equal, and of eight columns at least") {
  STATIC_REQUIRE(cluster_shares(64, 4) == 4);
  STATIC_REQUIRE(cluster_shares(64, 8) == 8);
  STATIC_REQUIRE(cluster_shares(16, 8) == 2);
  STATIC_REQUIRE(cluster_shares(8, 2) == 1);
  STATIC_REQUIRE(cluster_shares(24, 2) == 1);
  STATIC_REQUIRE(cluster_shares(192, 16) == 12);
  STATIC_REQUIRE(cluster_shares(256, 1) == 1);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
