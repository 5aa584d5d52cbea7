// How a kernel of rows spreads one over threads, and which configuration serves which length.
// Constants, for kernels, tables and plans.
#pragma once

#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

struct RowConfig {
  /// Threads of the consumer role.
  int threads = 256;
  /// Threads that share a row: a part of a warp, or all consumers of the CTA (and of its cluster).
  int threads_per_row = 32;
  /// The most elements of a row that one thread holds in registers.
  int elements = 32;
  /// Elements of an access: 16 bytes of the input where everything falls on 16 bytes, else 1.
  int vector = 8;
  /// Elements of one input in a stage.
  int stage_elements = 8192;
  int stages = 4;
  /// CTAs that share a row, exchanging what they have reduced.
  int cluster = 1;
  /// CTAs that a multiprocessor has shared memory for, and for how many the compiler makes registers
  /// suffice.
  int ctas_per_sm = 2;
  int min_ctas_per_sm = 1;

  constexpr bool whole_cta() const { return threads_per_row == threads; }
  constexpr int capacity() const { return threads_per_row * elements * cluster; }
};

inline constexpr int row_tiers = 10;

/// Tier 0 to 9, from short rows to long ones; each takes rows of up to its capacity(): 64, 256,
/// 1024, 4096, 8192, 16384, 32768 (two CTAs), 65536 (four), 131072 (eight), 262144 (sixteen).
/// 32 elements a thread: with 64, nine warps in two CTAs or seventeen in one, which get 96
/// registers each, spill.
constexpr RowConfig row_config(int tier, int element_bytes, int inputs, bool vectors) {
  constexpr RowConfig shapes[row_tiers] = {
      {.threads = 256, .threads_per_row = 8, .elements = 8, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 8, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 32, .ctas_per_sm = 3},
      {.threads = 128, .threads_per_row = 128, .elements = 32, .ctas_per_sm = 4},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .ctas_per_sm = 3},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 2, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 4, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 8, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 16, .ctas_per_sm = 1},
  };
  RowConfig config = shapes[tier];
  config.vector = vectors ? 16 / element_bytes : 1;
  // Of a row that has a CTA, parts of 16 KB; single elements in parts of 8, which the compiler
  // handles in registers one after the other.
  config.stage_elements = config.whole_cta() ? (vectors ? 16384 : 8192) / element_bytes : 8192;
  if (config.whole_cta() && config.stage_elements > config.threads * config.elements) {
    config.stage_elements = config.threads * config.elements;
  }
  const int stage_bytes = inputs * (config.stage_elements * element_bytes + 16);
  // A ring of three stages at least; then as many CTAs as the shape allows, whose rings have
  // about 200 KB together.
  constexpr int ring_bytes = 212992;
  if ((!vectors || element_bytes > 2) && config.ctas_per_sm == 3) {
    config.ctas_per_sm =
        2;  // single elements and fp32 need more than the 72 registers of three CTAs
  }
  while (config.ctas_per_sm > 1 && ring_bytes / config.ctas_per_sm - 4096 < 3 * stage_bytes) {
    --config.ctas_per_sm;
  }
  config.min_ctas_per_sm = vectors ? config.ctas_per_sm : 1;
  config.stages = (ring_bytes / config.ctas_per_sm - 4096) / stage_bytes;
  if (config.stages > 12) {
    config.stages = 12;
  }
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
