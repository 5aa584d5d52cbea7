// Sums of a cluster's CTAs on the GPU.
#include "tests/warpline/cluster_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("a cluster's sums: in the order of its CTAs") { check_cluster_sums_of_all_shapes(); }

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
