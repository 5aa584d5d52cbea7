// A thread's share of a row, in registers between the reduction and the result.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Pieces` times `Vector` neighbouring elements; the threads of the row take pieces in turn, so
/// that a warp's accesses are one stretch of memory.
template <int Pieces, int Vector, int Threads>
struct RowValues {
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int count = Pieces * Vector;
  /// Elements from one piece of a thread to its next.
  static constexpr int step = Threads * Vector;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Of this CTA's part of the row: its first column, and how many there are.
  int64_t first = 0;
  int columns = 0;
  float x[Pieces * Vector];
  /// What Op::gather leaves for Op::finish beside the values.
  float kept = 0;

  /// Of piece `p`, within the CTA's part.
  WARPLINE_DEVICE int offset(int p) const { return p * step + thread * Vector; }
  WARPLINE_DEVICE bool has(int p) const { return offset(p) < columns; }
  WARPLINE_DEVICE int64_t column(int p) const { return first + offset(p); }

  /// How many elements this thread has.
  WARPLINE_DEVICE int present() const {
    const int beyond = columns - thread * Vector;
    const int all = beyond <= 0 ? 0 : (beyond + step - 1) / step;
    return (all < Pieces ? all : Pieces) * Vector;
  }

  template <class Body>
  WARPLINE_DEVICE void for_each(Body body) {
    WARPLINE_UNROLL
    for (int i = 0; i < count; ++i) {
      body(x[i]);
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
