// Part of an accumulator in an array of its own.
#pragma once

#include "warpline/mma.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// Copies piece `which` of 64 rows x `Piece` columns, pieces of a row of them first, in the order
/// of AccumulatorPlace<Piece>. By moves: registers have no index.
template <int Piece, int Rows, int Columns>
WARPLINE_DEVICE void take_piece(const Accumulator<Rows, Columns>& sums, int which,
                                float (&x)[Piece / 2]) {
  static_for<0, Rows * Columns / 64 / Piece>([&](auto candidate) {
    constexpr int first = decltype(candidate)::value * (Piece / 2);
    if (which == candidate) {
      WARPLINE_UNROLL
      for (int i = 0; i < Piece / 2; ++i) {
        x[i] = sums.value((first + i) / (Columns / 2), (first + i) % (Columns / 2));
      }
    }
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
