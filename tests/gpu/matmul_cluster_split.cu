// Matmuls whose clusters share tiles along K, on the GPU.
#include "tests/kernels/matmul_cluster_split.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("K shared by a cluster: all sizes of clusters and ways out") {
  unsigned seed = 0;
  for (const ClusterSplitLine& split : cluster_split_lines()) {
    for (int run = 0; run < 20; ++run) {
      seed += 100;
      check_cluster_split(split, seed, static_cast<CUstream_st*>(nullptr));
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
