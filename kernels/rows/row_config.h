// How a kernel of rows spreads one over threads, and which configuration serves which length.
// Constants, for kernels, tables and plans.
#pragma once

#include <cstdint>

#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

/// How a row gets from memory to registers, and which kernel that is.
enum class RowPath {
  /// Through a ring, and stays in registers until its result is stored: RowKernel.
  staged,
  /// Stays in the ring, whose stages are read twice: StreamedRowKernel.
  streamed,
  /// Without a ring: DirectRowKernel.
  direct,
};

struct RowConfig {
  RowPath path = RowPath::staged;
  /// Threads of the consumer role.
  int threads = 256;
  /// Threads that share a row: a part of a warp, or all consumers of the CTA (and of its cluster).
  int threads_per_row = 32;
  /// The most elements of a row that one thread holds in registers. Streamed: `threads` reduce and
  /// as many write, and this is what a CTA's part of a row has for each, in the ring.
  int elements = 32;
  /// Elements of an access: 16 bytes of aligned rows, one of others.
  int vector = 8;
  /// Elements of one input in a stage.
  int stage_elements = 8192;
  int stages = 2;
  /// CTAs that share a row, exchanging what they have reduced.
  int cluster = 1;
  /// CTAs that a multiprocessor has shared memory for, and for how many the compiler makes
  /// registers suffice.
  int ctas_per_sm = 2;
  int min_ctas_per_sm = 1;
  /// For rows that lie AlignedAs one type; else for all, Anywhere.
  bool aligned = false;

  /// The least units for a CTA (RowShares): a start weighs more than what one unit's balance gains
  /// (softmax of 131,072 x 1,024: 3.66 TB/s with all CTAs resident, 3.91 with 2.6 units for each,
  /// 3.25 with one). Clusters take longer to start than waves of them gain, and CTAs that have a
  /// multiprocessor to themselves leave it idle meanwhile.
  constexpr int least_units() const {
    return path == RowPath::streamed || cluster > 2 ? 0 : cluster == 2 ? 4 : 2;
  }

  constexpr bool whole_cta() const { return threads_per_row == threads; }
  constexpr int capacity() const { return threads_per_row * elements * cluster; }
};

/// Aligned rows of up to 64 elements to 16,384, powers of two, and 5,120 and 7,168, which many
/// models have: from memory to registers. Such rows leave no thread without elements, and a thread
/// has as many as it can: what a row costs beside them (reductions, addresses) is what narrow rows
/// wait for. Small CTAs, as many as fit: what one leaves of a multiprocessor, the next takes
/// (softmax of 131,072 x 1,024: 0.94 of a copy's speed by a ring, 0.975 with eight rows a CTA,
/// 0.987 with one; docs/measurements.md).
inline constexpr int direct_tiers = 11;

constexpr RowConfig direct_config(int tier, int element_bytes) {
  constexpr RowConfig shapes[direct_tiers] = {
      {.threads = 128, .threads_per_row = 4, .elements = 16, .ctas_per_sm = 12},
      {.threads = 64, .threads_per_row = 4, .elements = 32, .ctas_per_sm = 16},
      {.threads = 64, .threads_per_row = 8, .elements = 32, .ctas_per_sm = 16},
      {.threads = 64, .threads_per_row = 16, .elements = 32, .ctas_per_sm = 16},
      {.threads = 32, .threads_per_row = 32, .elements = 32, .ctas_per_sm = 32},
      {.threads = 64, .threads_per_row = 64, .elements = 32, .ctas_per_sm = 16},
      {.threads = 128, .threads_per_row = 128, .elements = 32, .ctas_per_sm = 8},
      {.threads = 160, .threads_per_row = 160, .elements = 32, .ctas_per_sm = 6},
      {.threads = 224, .threads_per_row = 224, .elements = 32, .ctas_per_sm = 4},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .ctas_per_sm = 4},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .ctas_per_sm = 2},
  };
  RowConfig config = shapes[tier];
  config.path = RowPath::direct;
  config.vector = 16 / element_bytes;
  if (element_bytes == 4 && (config.threads == 160 || config.threads == 224)) {
    config.ctas_per_sm = 704 / config.threads;  // with six and four, softmax would spill
  }
  config.min_ctas_per_sm = config.ctas_per_sm;
  return config;
}

/// Longer ones, of up to 32,768 elements to 262,144: of clusters of CTAs, in their registers.
inline constexpr int long_tiers = 4;

/// Three CTAs on a multiprocessor, each with a ring of two stages: deeper rings gained nothing, and
/// took from the L1 cache the memory that holds weights.
constexpr RowConfig clustered_config(int tier, int element_bytes) {
  RowConfig config = {.threads = 256,
                      .threads_per_row = 256,
                      .elements = 32,
                      .vector = 16 / element_bytes,
                      .stage_elements = 16384 / element_bytes,
                      .cluster = 4 << tier,
                      .ctas_per_sm = element_bytes == 2 ? 3 : 2};
  if (tier == long_tiers - 1) {
    config.threads = config.threads_per_row = 512;
    config.stages = 5;
    config.cluster = 16;
    config.ctas_per_sm = 1;
  }
  config.min_ctas_per_sm = config.ctas_per_sm;
  return config;
}

/// The same for operations that stream them: 16,384 elements for each CTA at most, so that their
/// weights stay in the L1 cache; where a cluster would have more than 8 CTAs, twice as many, if the
/// ring has room for them and a second input's. One CTA on a multiprocessor, whose roles work on
/// different rows. Norms have stages of 32 KB, since threads wait for each and hand it on; softmax,
/// which has more to do with each, is faster with half of that (2,048 x 65,536: 146 and 137 us).
constexpr RowConfig streamed_config(int tier, int element_bytes, int stage_bytes) {
  const int cluster = 2 << tier;
  const bool twice = cluster > 8 && element_bytes == 2;
  const int ring_bytes = element_bytes == 4 || twice ? 196608 : 131072;
  return {.path = RowPath::streamed,
          .threads = 256,
          .threads_per_row = 256,
          .elements = twice ? 128 : 64,
          .vector = 16 / element_bytes,
          .stage_elements = stage_bytes / element_bytes,
          .stages = ring_bytes / stage_bytes,
          .cluster = twice ? cluster / 2 : cluster,
          .ctas_per_sm = 1,
          .min_ctas_per_sm = 1};
}

/// For rows that lie anywhere: lanes take single elements, neighbours side by side, so that nothing
/// has to be shifted. Of up to 128, 512, 1,024, 2,048 and 8,192 elements; longer ones in clusters'
/// registers, of up to 65,536 and 262,144, if an operation does not stream them.
inline constexpr int row_tiers_anywhere = 7;
inline constexpr int row_tiers_of_a_cta = 5;

constexpr RowConfig anywhere_config(int tier, int element_bytes) {
  constexpr RowConfig shapes[row_tiers_anywhere] = {
      {.threads = 256, .threads_per_row = 8, .elements = 16, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 16, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 32, .ctas_per_sm = 2},
      {.threads = 128, .threads_per_row = 128, .elements = 16, .stages = 3, .ctas_per_sm = 7},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .stages = 3, .ctas_per_sm = 2},
      {.threads = 512,
       .threads_per_row = 512,
       .elements = 16,
       .stages = 5,
       .cluster = 8,
       .ctas_per_sm = 2},
      {.threads = 512,
       .threads_per_row = 512,
       .elements = 32,
       .stages = 10,
       .cluster = 16,
       .ctas_per_sm = 1},
  };
  RowConfig config = shapes[tier];
  config.vector = 1;
  if (config.whole_cta()) {
    config.stage_elements = config.threads * 16;
  } else if (config.capacity() == 1024) {
    config.stage_elements = 16384;  // of two inputs, too, a row for each warp
  }
  if (element_bytes > 2 && config.ctas_per_sm > 1) {
    // fp32's stages are twice as large.
    config.ctas_per_sm -= config.ctas_per_sm > 3 ? 2 : 1;
  }
  if (element_bytes > 2 && config.stages > 6) {
    config.stages = 6;
  }
  config.min_ctas_per_sm = config.ctas_per_sm;
  return config;
}

/// Streamed rows that lie anywhere: of up to 16,384, 65,536 and 262,144 elements.
inline constexpr int streamed_tiers_anywhere = 3;

constexpr RowConfig streamed_anywhere_config(int tier, int element_bytes) {
  RowConfig config = streamed_config(tier == 0 ? 0 : 2 * tier - 1, element_bytes, 32768);
  config.cluster = tier == 0 ? 1 : config.cluster;
  config.vector = 1;
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
