// Matmuls whose clusters share tiles along K, in configurations of all cluster sizes and ways out,
// on either target. Results are exact on small integers; those of the table's lines are with the
// others' (matmul_lines.h).
#pragma once

#include "matmul/persistent_entry.h"
#include "tests/kernels/matmul_lines.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// One warpgroup, two stages.
constexpr PersistentConfig cluster_split_config(int block_n, int ctas, int warpgroups = 1) {
  return {.block_m = 64 * warpgroups,
          .block_n = block_n,
          .block_k = 16,
          .stages = 2,
          .warpgroups = warpgroups,
          .cluster_k = ctas};
}

struct ClusterSplitLine {
  MatmulLine line;
  int shares;
};

template <class T, PersistentConfig Config, Leave Way>
ClusterSplitLine cluster_split_line(const char* name) {
  return {PersistentLine<T, Config, Way>::line(name),
          cluster_shares(Config.block_n, Config.cluster_k)};
}

/// Narrow tiles, of which some CTAs have no share, and wide ones.
inline std::vector<ClusterSplitLine> cluster_split_lines() {
  using Bf16 = __nv_bfloat16;
  constexpr PersistentConfig two = cluster_split_config(32, 2);
  constexpr PersistentConfig two_of_eight = cluster_split_config(16, 2);
  constexpr PersistentConfig four = cluster_split_config(32, 4, 2);
  constexpr PersistentConfig eight = cluster_split_config(16, 8);
  constexpr PersistentConfig narrow = cluster_split_config(8, 4);
  return {cluster_split_line<__half, two, Leave::copies>("64x32_k2"),
          cluster_split_line<Bf16, two_of_eight, Leave::copies>("64x16_k2"),
          cluster_split_line<__half, four, Leave::copies_transposed>("128x32_t_k4"),
          cluster_split_line<Bf16, four, Leave::threads>("128x32_s_k4"),
          cluster_split_line<__half, eight, Leave::copies_transposed>("64x16_t_k8"),
          cluster_split_line<Bf16, eight, Leave::threads>("64x16_s_k8"),
          cluster_split_line<Bf16, narrow, Leave::copies_transposed>("64x8_t_k4")};
}

/// K from less than a k tile to several for each CTA and one that hangs over; tiles that hang over,
/// one and several for each cluster; batches.
inline std::vector<TaskShape> cluster_split_tasks(const MatmulLine& line) {
  const std::int64_t k_tile = line.block_k;
  const std::int64_t m = line.block_m;
  const std::int64_t n = line.block_n;
  const int one_cluster = line.cluster_k;
  return {
      {.m = 9, .n = 5, .k = 3},
      {.m = m + 8, .n = n + 3, .k = k_tile * (line.cluster_k - 1)},
      {.m = m, .n = n, .k = k_tile * line.cluster_k},
      {.m = 2 * m + 1, .n = 2 * n - 1, .k = k_tile * line.cluster_k + 1, .max_ctas = one_cluster},
      {.m = m - 7,
       .n = 2 * n,
       .k = 5 * k_tile * line.cluster_k - k_tile - 5,
       .batch = 3,
       .max_ctas = one_cluster + 1,
       .shared_b = true,
       .alpha = 0.5f}};
}

inline void check_cluster_split(const ClusterSplitLine& split, unsigned seed, const Place& place) {
  for (const TaskShape& shape : cluster_split_tasks(split.line)) {
    check_task(split.line, shape, ++seed, place);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
