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

  /// CTAs (of a cluster: clusters) for `units` of work, `resident` of them at once. The hardware
  /// gives the next CTA to the multiprocessor that is done first, which gains 7 % where each has
  /// two or three units to do; with one its start weighs more than that (softmax of 131,072 x
  /// 1,024: 3.66 TB/s with all CTAs resident, 3.91 with 2.6 units for each, 3.25 with one). Four
  /// was not tried itself: it lies between 2.6 and the 10 of 3.72 TB/s. Clusters take longer to
  /// start than that gains.
  constexpr int64_t ctas(int64_t units, int64_t resident) const {
    const int64_t most = cluster == 1 ? 16 : cluster == 2 ? 4 : 1;
    const int64_t waves = units / (4 * resident);
    return units < resident ? units : resident * (waves < 1 ? 1 : waves < most ? waves : most);
  }

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

/// The tiers of rows that lie anywhere: fewer kernels, whose instructions cost more than lanes
/// without elements.
struct AnywhereTiers {
  int count;
  int tier[row_tiers];
};
inline constexpr AnywhereTiers row_tiers_anywhere{5, {1, 4, 7, 10, 12}};

/// What an operation's kernels are: its own tiers, or all of row_config's, for aligned rows, then
/// some of them for others.
template <class Op>
constexpr int tiers_of() {
  if constexpr (requires { Op::tiers; }) {
    return Op::tiers;
  } else {
    return row_tiers;
  }
}

template <class Op>
constexpr AnywhereTiers tiers_anywhere_of() {
  if constexpr (requires { Op::tiers_anywhere; }) {
    return Op::tiers_anywhere;
  } else {
    return row_tiers_anywhere;
  }
}

template <class Op>
constexpr int kernels_of() {
  return tiers_of<Op>() + tiers_anywhere_of<Op>().count;
}

template <class Op>
constexpr RowConfig config_of(int kernel) {
  const bool aligned = kernel < tiers_of<Op>();
  const int tier = aligned ? kernel : tiers_anywhere_of<Op>().tier[kernel - tiers_of<Op>()];
  RowConfig config;
  if constexpr (requires { Op::config(tier); }) {
    config = Op::config(tier);
  } else {
    config = row_config(tier, sizeof(typename Op::Element));
  }
  config.aligned = aligned;
  if (!aligned) {
    // Some kernels would spill: fewer CTAs, and of 17 warps, which have 96 registers each, smaller
    // stages, of which fewer pieces are in registers twice.
    if (config.ctas_per_sm > 2 || (config.ctas_per_sm > 1 && sizeof(typename Op::Element) == 4)) {
      config.ctas_per_sm -= config.ctas_per_sm > 3 ? 2 : 1;
    } else if (config.ctas_per_sm == 1 &&
               config.stage_elements >= 2 * config.threads * config.vector) {
      config.stage_elements /= 2;
      config.stages *= 2;
    }
    config.min_ctas_per_sm = config.ctas_per_sm;
  }
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
