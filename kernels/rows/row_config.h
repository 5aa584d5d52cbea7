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
  /// Elements of an access, 16 bytes of the input.
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
  /// Instead, for rows that lie AlikeAs one type.
  bool alike = false;
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

inline constexpr int row_tiers = 13;

/// Tiers from short rows to long ones; each takes rows of up to its capacity(), twice the one
/// before: 64 to 262,144. Rows of a power of two leave no thread without elements, and a thread has
/// as many as it can: what a row costs beside them (reductions, addresses) is what narrow rows wait
/// for. Eight lanes at least: their accesses are one line of shared memory's banks and of global
/// memory. 32 elements a thread: with 64, nine warps in two CTAs or seventeen in one, which get 96
/// registers each, spill.
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
inline constexpr int first_streamed_tier = 8;

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

}  // namespace warpline::inline WARPLINE_TARGET
