// Which units of work (rows, or stages of rows) a CTA takes. CTAs are given to multiprocessors in
// the order of their indices, each to the one that is done first; so the first ones take long
// shares, which spare starts, and the last ones short ones, which end at nearly the same time
// ("guided self-scheduling", Polychronopoulos and Kuck, 1987), without a counter in memory.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// CTA `i` of a wave takes the wave's units i, i + resident, and so on: together the CTAs read one
/// stretch of memory.
struct UnitShare {
  int first;
  int end;
};

/// Constants of a launch.
struct RowShares {
  static constexpr int most_units = 1 << 30;

  int units;
  /// CTAs (or clusters) that are on the chip together.
  int resident;
  /// The least that a CTA of a wave takes, if there is so much; 0: all there is, in one wave.
  int least;

  /// Of a wave before which `left` units are left for each resident CTA.
  WARPLINE_HOST_DEVICE constexpr int of_wave(int left) const {
    const int half = left / 2;
    const int wanted = least == 0 ? left : half > least ? half : least;
    return wanted < left ? wanted : left;
  }

  WARPLINE_HOST_DEVICE constexpr UnitShare share(int cta) const {
    int base = 0;
    int left = (units + resident - 1) / resident;
    int each = of_wave(left);
    for (; cta >= resident; cta -= resident) {
      base += each * resident;
      left -= each;
      each = of_wave(left);
    }
    const int end = base + each * resident;
    return {base + cta, end < units ? end : units};
  }

  /// All that have something to do.
  constexpr int ctas() const {
    int count = 0;
    int base = 0;
    for (int left = (units + resident - 1) / resident; left > 0; left -= of_wave(left)) {
      const int rest = units - base;
      count += rest < resident ? rest : resident;
      base += of_wave(left) * resident;
    }
    return count;
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
