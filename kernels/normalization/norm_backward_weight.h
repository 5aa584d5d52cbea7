// The weights of a thread's columns, which are the same for all rows: in registers, as numbers,
// where there are enough.
#pragma once

#include "normalization/column_share.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Kernel, class Share>
class NormBackwardWeight {
  static constexpr int vector = Share::vector;

 public:
  /// `share` being of a row's columns, of which the CTA's begin with `first_column`.
  template <class Arguments>
  WARPLINE_DEVICE NormBackwardWeight(const Arguments& arguments, const Share& share,
                                     int first_column) {
    if constexpr (Kernel::holds_weight) {
      WARPLINE_UNROLL
      for (int p = 0; p < Share::pieces; ++p) {
        if (share.has(p)) {
          float piece[vector];
          read_weight(share, p, arguments.op.weight, first_column, piece);
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            held_[p * vector + v] = piece[v];
          }
        }
      }
    }
  }

  /// Piece `p`, which the row has.
  template <class Arguments>
  WARPLINE_DEVICE void piece(const Arguments& arguments, const Share& share, int first_column,
                             int p, float (&values)[vector]) const {
    if constexpr (Kernel::holds_weight) {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        values[v] = held_[p * vector + v];
      }
    } else {
      read_weight(share, p, arguments.op.weight, first_column, values);
    }
  }

 private:
  float held_[Kernel::holds_weight ? Share::pieces * vector : 1] = {};
};

}  // namespace warpline::inline WARPLINE_TARGET
