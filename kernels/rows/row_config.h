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
  /// Elements of an access, 16 bytes of the input.
  int vector = 8;
  /// Elements of one input in a stage.
  int stage_elements = 8192;
  int stages = 4;
  /// CTAs that share a row, exchanging what they have reduced.
  int cluster = 1;
  /// CTAs that a multiprocessor has shared memory for, and for how many the compiler makes
  /// registers suffice.
  int ctas_per_sm = 2;
  int min_ctas_per_sm = 1;

  constexpr bool whole_cta() const { return threads_per_row == threads; }
  constexpr int capacity() const { return threads_per_row * elements * cluster; }
};

inline constexpr int row_tiers = 13;

/// Tiers from short rows to long ones; each takes rows of up to its capacity(), twice the one
/// before: 64 to 262,144. Rows of a power of two leave no thread without elements, and a thread has
/// as many as it can: what a row costs beside them (reductions, addresses) is what narrow rows wait
/// for. Eight lanes at least: their accesses are one line of shared memory's banks and of global
/// memory. No more than `most_ctas_per_sm`, for operations that need registers. 32 elements a
/// thread: with 64, nine warps in two CTAs or seventeen in one, which get 96
/// registers each, spill.
constexpr RowConfig row_config(int tier, int element_bytes, int most_ctas_per_sm = 8) {
  constexpr RowConfig shapes[row_tiers] = {
      {.threads = 256, .threads_per_row = 8, .elements = 8, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 8, .elements = 16, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 8, .elements = 32, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 16, .elements = 32, .ctas_per_sm = 3},
      {.threads = 256, .threads_per_row = 32, .elements = 32, .ctas_per_sm = 3},
      {.threads = 64, .threads_per_row = 64, .elements = 32, .ctas_per_sm = 8},
      {.threads = 128, .threads_per_row = 128, .elements = 32, .ctas_per_sm = 4},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .ctas_per_sm = 3},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 2, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 4, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 8, .ctas_per_sm = 1},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 16, .ctas_per_sm = 1},
  };
  RowConfig config = shapes[tier];
  config.vector = 16 / element_bytes;
  // Of a row that has a CTA, parts of 16 KB.
  config.stage_elements = config.whole_cta() ? 16384 / element_bytes : 8192;
  if (config.whole_cta() && config.stage_elements > config.threads * config.elements) {
    config.stage_elements = config.threads * config.elements;
  }
  const int stage_bytes = config.stage_elements * element_bytes + 32;
  // A ring of three stages at least; then as many CTAs as the shape allows, whose rings have
  // about 200 KB together.
  constexpr int ring_bytes = 212992;
  if (element_bytes > 2 && config.ctas_per_sm == 3) {
    config.ctas_per_sm = 2;  // fp32 needs more than the 72 registers of three CTAs
  }
  if (config.ctas_per_sm > most_ctas_per_sm) {
    config.ctas_per_sm = most_ctas_per_sm;
  }
  while (config.ctas_per_sm > 1 && ring_bytes / config.ctas_per_sm - 4096 < 3 * stage_bytes) {
    --config.ctas_per_sm;
  }
  config.min_ctas_per_sm = config.ctas_per_sm;
  config.stages = (ring_bytes / config.ctas_per_sm - 4096) / stage_bytes;
  if (config.stages > 12) {
    config.stages = 12;
  }
  return config;
}

/// What an operation's kernels are: its own tiers, or all of row_config's.
template <class Op>
constexpr int tiers_of() {
  if constexpr (requires { Op::tiers; }) {
    return Op::tiers;
  } else {
    return row_tiers;
  }
}

template <class Op>
constexpr RowConfig config_of(int tier) {
  if constexpr (requires { Op::config(tier); }) {
    return Op::config(tier);
  } else {
    return row_config(tier, sizeof(typename Op::Element));
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
