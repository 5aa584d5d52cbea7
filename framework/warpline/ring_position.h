// Where an endpoint stands in its ring. Each role counts for itself; nobody else ever sees a
// parity.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// A fresh mbarrier is in phase 0. Waiting for parity 1 means waiting for the phase before it,
/// which counts as complete: so whoever fills starts at 1 and finds every stage empty, and whoever
/// follows starts at 0 and blocks until the phase before its own has ended.
inline constexpr uint32_t filling_initial_parity = 1;
inline constexpr uint32_t following_initial_parity = 0;

template <int Stages>
struct RingPosition {
  int stage = 0;
  uint32_t parity;

  WARPLINE_DEVICE void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }

  WARPLINE_DEVICE void advance(int count) {
    const int rounds = (stage + count) / Stages;
    stage = stage + count - rounds * Stages;
    parity ^= static_cast<uint32_t>(rounds) & 1;
  }
};

/// A stage index known at run time; Constant (static_for.h) is its compile-time twin.
struct RuntimeStage {
  int index;
  // NOLINTNEXTLINE(google-explicit-constructor): it is the index
  WARPLINE_DEVICE constexpr operator int() const { return index; }
};

}  // namespace warpline::inline WARPLINE_TARGET
