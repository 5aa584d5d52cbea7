// Which kernels an operation on rows has: their configurations, by number. Constants, for units and
// tables.
#pragma once

#include "rows/row_config.h"

namespace warpline::inline WARPLINE_TARGET {

/// Whether an operation streams long rows: it says so by a name for that.
template <class Op>
constexpr bool streams() {
  return requires { Op::streamed_name; };
}

/// For aligned rows an operation has its own tiers, or the direct ones and the long ones.
template <class Op>
constexpr int tiers_of() {
  if constexpr (requires { Op::tiers; }) {
    return Op::tiers;
  } else {
    return direct_tiers + long_tiers;
  }
}

/// Of rows that lie anywhere: those of a CTA, then streamed ones, or some of all in registers.
template <class Op>
constexpr int first_tier_anywhere() {
  if constexpr (requires { Op::first_anywhere; }) {
    return Op::first_anywhere;
  } else {
    return 0;
  }
}

template <class Op>
constexpr int tiers_anywhere_of() {
  return first_tier_anywhere<Op>() == 0 && streams<Op>()
             ? row_tiers_of_a_cta + streamed_tiers_anywhere
             : row_tiers_anywhere - first_tier_anywhere<Op>();
}

/// For aligned rows, then for others.
template <class Op>
constexpr int kernels_of() {
  return tiers_of<Op>() + tiers_anywhere_of<Op>();
}

template <class Op>
constexpr RowConfig config_of(int kernel) {
  constexpr int element_bytes = sizeof(typename Op::Element);
  if (kernel >= tiers_of<Op>()) {
    const int tier = kernel - tiers_of<Op>() + first_tier_anywhere<Op>();
    return first_tier_anywhere<Op>() == 0 && streams<Op>() && tier >= row_tiers_of_a_cta
               ? streamed_anywhere_config(tier - row_tiers_of_a_cta, element_bytes)
               : anywhere_config(tier, element_bytes);
  }
  RowConfig config;
  if constexpr (requires { Op::config(kernel); }) {
    config = Op::config(kernel);
  } else if (kernel < direct_tiers) {
    config = direct_config(kernel, element_bytes);
  } else if constexpr (streams<Op>()) {
    config = streamed_config(kernel - direct_tiers, element_bytes, Op::streamed_stage_bytes);
  } else {
    config = clustered_config(kernel - direct_tiers, element_bytes);
  }
  config.aligned = true;
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
