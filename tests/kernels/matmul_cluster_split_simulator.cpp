// Matmuls whose clusters share tiles along K, on the simulator.
#include "tests/kernels/matmul_cluster_split.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("K shared by a cluster: all sizes of clusters and ways out, on every policy") {
  unsigned seed = 0;
  for (const ClusterSplitLine& split : cluster_split_lines()) {
    for (const simulator::Policy policy : every_policy) {
      seed += 100;
      check_cluster_split(split, seed, simulator::Options{.seed = seed, .policy = policy});
    }
  }
}

TEST_CASE("K shared by a cluster: it needs no workspace and takes no splits") {
  for (const ClusterSplitLine& split : cluster_split_lines()) {
    MatmulTask task{.m = 64, .n = 64, .k = 512};
    CHECK(split.line.workspace_bytes(task) == 0);
    for (const int splits : {2, stream_k}) {
      task.splits = splits;
      CHECK_THROWS_WITH(split.line.workspace_bytes(task),
                        Catch::Matchers::ContainsSubstring("it takes no splits"));
    }
  }
}

TEST_CASE("K shared by a cluster: its size and that of its shares") {
  const std::vector<ClusterSplitLine> lines = cluster_split_lines();
  constexpr int sizes[] = {2, 2, 4, 4, 8, 8, 4};
  constexpr int shares[] = {2, 2, 4, 4, 2, 2, 1};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i].line.name);
    CHECK(lines[i].line.cluster_k == sizes[i]);
    CHECK(lines[i].line.cluster_ctas() == sizes[i]);
    CHECK(lines[i].shares == shares[i]);
    CHECK_THAT(lines[i].line.describe(),
               Catch::Matchers::ContainsSubstring("cluster " + std::to_string(sizes[i]) + " x 1"));
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
