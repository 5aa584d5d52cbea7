// How a kernel of rows spreads one over threads, and which configuration serves which length.
// Constants, for kernels, tables and plans.
#pragma once

#include <cstdint>

#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

struct RowConfig {
  /// Threads of the consumer role.
  int threads = 256;
  /// Threads that share a row: a part of a warp, or all consumers of the CTA (and of its cluster).
  int threads_per_row = 32;
  /// The most elements of a row that one thread holds in registers.
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
  /// StreamedRowKernel: `threads` reduce and as many write, and `elements` is what a CTA's part of
  /// a row has for each, in the ring.
  bool streamed = false;

  /// The least units for a CTA (RowShares): a start weighs more than what one unit's balance gains
  /// (softmax of 131,072 x 1,024: 3.66 TB/s with all CTAs resident, 3.91 with 2.6 units for each,
  /// 3.25 with one). Clusters take longer to start than waves of them gain, and CTAs that have a
  /// multiprocessor to themselves leave it idle meanwhile.
  constexpr int least_units() const { return streamed || cluster > 2 ? 0 : cluster == 2 ? 4 : 2; }

  constexpr bool whole_cta() const { return threads_per_row == threads; }
  constexpr int capacity() const { return threads_per_row * elements * cluster; }
};

inline constexpr int row_tiers = 15;

/// Tiers from short rows to long ones; each takes rows of up to its capacity(): powers of two from
/// 64 to 262,144, and 5,120 and 7,168, which many models have. Such rows leave no thread without
/// elements, and a thread has as many as it can: what a row costs beside them (reductions,
/// addresses) is what narrow rows wait for. Eight lanes at least: their accesses are one line of
/// shared memory's banks and of global memory. 32 elements a thread: with 64, nine warps in two
/// CTAs or seventeen in one, which get 96 registers each, spill.
///
/// Three CTAs and more on a multiprocessor, each with a ring of two or three stages: deeper rings
/// gained nothing, and took from the L1 cache the memory that holds weights (LayerNorm of 1,024
/// columns: 3.39 TB/s with two stages, 2.72 with four; docs/measurements.md).
constexpr RowConfig row_config(int tier, int element_bytes) {
  constexpr RowConfig shapes[row_tiers] = {
      {.threads = 256, .threads_per_row = 8, .elements = 8, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 8, .elements = 16, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 16, .elements = 16, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 16, .elements = 32, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 32, .ctas_per_sm = 3},
      {.threads = 128, .threads_per_row = 128, .elements = 16, .stages = 3, .ctas_per_sm = 7},
      {.threads = 128, .threads_per_row = 128, .elements = 32, .ctas_per_sm = 5},
      {.threads = 160, .threads_per_row = 160, .elements = 32, .ctas_per_sm = 4},
      {.threads = 224, .threads_per_row = 224, .elements = 32, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .cluster = 2, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .cluster = 4, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .cluster = 8, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .cluster = 16, .ctas_per_sm = 3},
      {.threads = 512,
       .threads_per_row = 512,
       .elements = 32,
       .stages = 5,
       .cluster = 16,
       .ctas_per_sm = 1},
  };
  RowConfig config = shapes[tier];
  config.vector = 16 / element_bytes;
  // Of a row that has a CTA, parts of 16 KB at most.
  config.stage_elements = config.whole_cta() ? 16384 / element_bytes : 8192;
  if (config.whole_cta() && config.stage_elements > config.threads * config.elements) {
    config.stage_elements = config.threads * config.elements;
  } else if (config.threads % 64 != 0) {
    config.stage_elements = config.threads * config.elements / 2;
  }
  if (element_bytes > 2 && config.ctas_per_sm > 1) {
    // fp32 needs more registers than 16 bits.
    config.ctas_per_sm -= config.ctas_per_sm > 3 ? 2 : 1;
  }
  config.min_ctas_per_sm = config.ctas_per_sm;
  return config;
}

/// The same tiers for operations that stream longer rows than those that registers of one CTA hold:
/// 16,384 elements for each CTA at most, so that their weights stay in the L1 cache; where a
/// cluster would have more than 8 CTAs, twice as many, if the ring has room for them and a second
/// input's. One CTA on a multiprocessor, whose roles work on different rows. Stages are large,
/// since threads wait for each and hand it on.
inline constexpr int first_streamed_tier = 10;

constexpr RowConfig streamed_config(int tier, int element_bytes) {
  const int cluster = 1 << (tier - first_streamed_tier);
  const bool twice = cluster > 8 && element_bytes == 2;
  return {.threads = 256,
          .threads_per_row = 256,
          .elements = twice ? 128 : 64,
          .vector = 16 / element_bytes,
          .stage_elements = 32768 / element_bytes,
          .stages = element_bytes == 4 || twice ? 6 : 4,
          .cluster = twice ? cluster / 2 : cluster,
          .ctas_per_sm = 1,
          .min_ctas_per_sm = 1,
          .streamed = true};
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
  RowConfig config = streamed_config(first_streamed_tier + 2 * tier, element_bytes);
  config.vector = 1;
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
