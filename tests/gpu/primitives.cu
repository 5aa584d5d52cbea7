// What kernels are made of beside pipelines, on the GPU. One unit, as pipeline.cu.
#include "tests/warpline/cluster_results.cpp"
#include "tests/warpline/cluster_sums.h"
#include "tests/warpline/launch.cpp"
#include "tests/warpline/reduce.cpp"
#include "tests/warpline/roles.cpp"
#include "tests/warpline/store_ring.cpp"
#include "tests/warpline/tensor_map_errors.cpp"
#include "tests/warpline/tile.cpp"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("a cluster's sums: in the order of its CTAs") { check_cluster_sums_of_all_shapes(); }

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
