// A thread's share of a row, in registers between the reductions and the result.
#pragma once

#include <cstdint>

#include "rows/anywhere.h"
#include "warpline/numbers.h"
#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// How the rows of a call lie in memory, as code is made for it: anywhere, of any types.
struct Anywhere {
  static constexpr bool aligned = false;
  static constexpr bool whole_pieces = false;
  static constexpr bool weights_aligned = false;
  static constexpr bool filled = false;
};
/// Every row of every operand begins and ends on an access, and its elements are T's; those of
/// weights, biases and masks may be fp32. A piece is all there or not at all, so that its loads
/// follow on each other without a branch: a quarter fewer instructions (docs/measurements.md).
template <class T>
struct AlignedAs {
  static constexpr bool aligned = true;
  static constexpr bool whole_pieces = true;
  static constexpr bool weights_aligned = true;
  static constexpr bool filled = false;
  using Type = T;
};
/// The same but for the ends of a row: each row of x, of the result and of what is added begins and
/// ends as far behind an access as the others' (rows of 50257 elements in memory of their own), so
/// that pieces fall on accesses in all of them. Weights, biases and masks lie anywhere.
template <class T>
struct AlikeAs {
  static constexpr bool aligned = true;
  static constexpr bool whole_pieces = false;
  static constexpr bool weights_aligned = false;
  static constexpr bool filled = false;
  using Type = T;
};

/// And every piece of every thread is there.
template <class Way>
struct Filled : Way {
  static constexpr bool whole_pieces = true;
  static constexpr bool filled = true;
};

/// body(Way{}), where T of 16 bits stands for bf16 as well: one branch around all of a consumer's
/// work, so that what runs is near together.
template <template <class> class Way, class T, class Body>
WARPLINE_DEVICE void with_type_in(bool bf16, Body body) {
  if constexpr (sizeof(T) == 2) {
    if (bf16) {
      body(Way<__nv_bfloat16>{});
      return;
    }
  }
  body(Way<T>{});
}
template <class T, bool Aligned, class Body>
WARPLINE_DEVICE void with_way(bool bf16, Body body) {
  if constexpr (Aligned) {
    with_type_in<AlignedAs, T>(bf16, body);
  } else {
    body(Anywhere{});
  }
}

/// Which elements they are: `Pieces` times `Vector` neighbouring ones; the threads of the row take
/// pieces in turn, so that a warp's accesses are one stretch of memory. The pieces begin at column
/// `first`, which may be a few columns before the row: pieces fall on 16 bytes of the result,
/// wherever it begins.
template <int Pieces, int Vector, int Threads, class Way>
struct RowPieces : Way {
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int count = Pieces * Vector;
  /// Elements from one piece of a thread to its next.
  static constexpr int step = Threads * Vector;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Column of the CTA's first piece.
  int first = 0;
  /// Of the CTA's pieces, elements [begin, end) belong to the row (and to the CTA).
  int begin = 0;
  int end = 0;
  /// Columns of the row, of all CTAs.
  int columns = 0;

  /// Of piece `p`, among the CTA's.
  WARPLINE_DEVICE int offset(int p) const { return p * step + thread * Vector; }
  /// Whether some of the piece belongs to the row, and whether all of it does.
  WARPLINE_DEVICE bool has(int p) const { return Way::filled || offset(p) < end; }
  WARPLINE_DEVICE bool whole(int p) const {
    return Way::whole_pieces ? has(p) : offset(p) >= begin && offset(p) + Vector <= end;
  }
  WARPLINE_DEVICE bool present(int p, int v) const {
    return Way::whole_pieces ? has(p) : offset(p) + v >= begin && offset(p) + v < end;
  }
  WARPLINE_DEVICE int column(int p) const { return first + offset(p); }

  /// The elements of the CTA, and those of all the row, as offset() counts them.
  WARPLINE_DEVICE ElementRange wanted() const { return {begin, end}; }
  WARPLINE_DEVICE ElementRange all() const { return {-first, columns - first}; }

  /// How many elements of this thread's pieces belong to the row.
  WARPLINE_DEVICE int count_present() const {
    int present = 0;
    WARPLINE_UNROLL
    for (int p = 0; p < Pieces; ++p) {
      if (Way::whole_pieces) {
        present += has(p) ? Vector : 0;
      } else {
        const int from = offset(p) > begin ? offset(p) : begin;
        const int to = offset(p) + Vector < end ? offset(p) + Vector : end;
        present += to > from ? to - from : 0;
      }
    }
    return present;
  }

  /// One thread of the row, of all CTAs that have a part.
  WARPLINE_DEVICE bool first_of_row() const { return thread == 0 && first <= 0 && end > 0; }

  /// whole_piece(p) for pieces that lie wholly in the row, if `at_once`; of all others one(p, v)
  /// for each element that belongs to it.
  template <class Whole, class One>
  WARPLINE_DEVICE void for_each_piece(bool at_once, Whole whole_piece, One one) const {
    WARPLINE_UNROLL
    for (int p = 0; p < Pieces; ++p) {
      if (at_once && whole(p)) {
        whole_piece(p);
      } else if (has(p)) {
        WARPLINE_UNROLL
        for (int v = 0; v < Vector; ++v) {
          if (present(p, v)) {
            one(p, v);
          }
        }
      }
    }
  }
};

/// Their values.
template <int Pieces, int Vector, int Threads, class Way>
struct RowValues : RowPieces<Pieces, Vector, Threads, Way> {
  float x[Pieces * Vector];

  template <class Body>
  WARPLINE_DEVICE void for_each(Body body) {
    WARPLINE_UNROLL
    for (float& value : x) {
      body(value);
    }
  }

  /// body(x) for the elements that the row has.
  template <class Body>
  WARPLINE_DEVICE void for_each_present(Body body) const {
    const auto one = [&](int p, int v) { body(x[p * Vector + v]); };
    this->for_each_piece(
        true,
        [&](int p) {
          WARPLINE_UNROLL
          for (int v = 0; v < Vector; ++v) {
            one(p, v);
          }
        },
        one);
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
