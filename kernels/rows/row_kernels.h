// Which kernels an operation on rows has: their configurations, by number. Constants, for units and
// tables.
#pragma once

#include "rows/row_config.h"

namespace warpline::inline WARPLINE_TARGET {

/// Whether an operation streams long rows, if they are aligned: it says so by a name for that.
template <class Op>
constexpr bool streams() {
  return requires { Op::streamed_name; };
}

/// The tiers of rows that lie AlikeAs one type, of operations that stream, and the shortest rows
/// that they are for.
inline constexpr int alike_tiers[] = {10, 12};
constexpr int least_columns(const RowConfig& config) {
  return !config.alike ? 1 : config.capacity() / 8 + 1;
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
constexpr int alike_tiers_of() {
  return streams<Op>() && !requires { Op::tiers; } ? 2 : 0;
}

/// Whether an operation keeps its inputs as they are in memory (RowKernel).
template <class Op>
constexpr bool holds_inputs() {
  return requires { Op::holds; };
}

/// For aligned rows, for rows that lie alike, for others.
template <class Op>
constexpr int kernels_of() {
  return tiers_of<Op>() + alike_tiers_of<Op>() + tiers_anywhere_of<Op>().count;
}

template <class Op>
constexpr RowConfig config_of(int kernel) {
  const bool aligned = kernel < tiers_of<Op>();
  const int beyond = kernel - tiers_of<Op>();
  if (!aligned && beyond < alike_tiers_of<Op>()) {
    RowConfig config = streamed_config(alike_tiers[beyond], sizeof(typename Op::Element));
    config.alike = true;
    return config;
  }
  const int tier = aligned ? kernel : tiers_anywhere_of<Op>().tier[beyond - alike_tiers_of<Op>()];
  RowConfig config;
  if constexpr (requires { Op::config(tier); }) {
    config = Op::config(tier);
  } else if (aligned && streams<Op>() && tier >= first_streamed_tier) {
    config = streamed_config(tier, sizeof(typename Op::Element));
  } else if constexpr (requires { Op::in_registers(tier); }) {
    config = Op::in_registers(tier);
  } else {
    config = row_config(tier, sizeof(typename Op::Element));
  }
  config.aligned = aligned;
  if (!aligned && config.cluster > 1 && config.threads == 256 && holds_inputs<Op>()) {
    // Half of the elements for each of twice as many threads, so that more warps go on meanwhile:
    // gradients of softmax of 4096 x 50257 take 368 us, and 418 otherwise. Softmax, which keeps
    // numbers instead of bits, loses a sixth by it.
    config.threads = config.threads_per_row = 512;
    config.elements /= 2;
    config.ctas_per_sm = config.min_ctas_per_sm = sizeof(typename Op::Element) == 4 ? 1 : 2;
  } else if (!aligned) {
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
