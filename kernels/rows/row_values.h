// A thread's share of a row, in registers between the reductions and the result.
#pragma once

#include <cstdint>

#include "warpline/isa/memory.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"
#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// Where the CTA's elements of a row are taken from: a stage.
template <class T>
struct RowInStage {
  static constexpr bool in_memory = false;
  const T* elements;
  /// Where among them the CTA's first one would be, if it were there.
  int place;

  template <class Words>
  WARPLINE_DEVICE Words load(int offset) const {
    return isa::load_shared(*reinterpret_cast<const Words*>(elements + (place + offset)));
  }
};
/// Or global memory, from which all of a thread's loads are on their way at once.
template <class T>
struct RowInMemory {
  static constexpr bool in_memory = true;
  const T* elements;

  template <class Words>
  WARPLINE_DEVICE Words load(int offset) const {
    return isa::load_global(reinterpret_cast<const Words*>(elements + offset));
  }
};

/// How the rows of a call lie in memory, as code is made for it: anywhere, of any types. A piece is
/// one element.
struct Anywhere {
  static constexpr bool aligned = false;
  static constexpr bool filled = false;
};
/// Every row of every operand begins and ends on an access, and its elements are T's; those of
/// weights, biases and masks may be fp32. A piece is an access: all of it is there or nothing.
template <class T>
struct AlignedAs {
  static constexpr bool aligned = true;
  static constexpr bool filled = false;
  using Type = T;
};
/// And every piece of every thread is there.
template <class Way>
struct Filled : Way {
  static constexpr bool filled = true;
};

/// body(Way{}), where T of 16 bits stands for bf16 as well: one branch around all of a consumer's
/// work, so that what runs is near together.
template <class T, bool Aligned, class Body>
WARPLINE_DEVICE void with_way(bool bf16, Body body) {
  if constexpr (!Aligned) {
    body(Anywhere{});
  } else if (sizeof(T) == 2 && bf16) {
    body(AlignedAs<__nv_bfloat16>{});
  } else {
    body(AlignedAs<T>{});
  }
}

/// Which elements they are: `Pieces` times `Vector` neighbouring ones; the threads of the row take
/// pieces in turn, so that a warp's accesses are one stretch of memory.
template <int Pieces, int Vector, int Threads, class Way>
struct RowPieces : Way {
  static_assert(Way::aligned || Vector == 1, "in rows that lie anywhere a piece is one element");
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int count = Pieces * Vector;
  /// Elements from one piece of a thread to its next.
  static constexpr int step = Threads * Vector;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Column of the CTA's first piece, and how many elements it has of the row.
  int first = 0;
  int end = 0;
  /// Columns of the row, of all CTAs.
  int columns = 0;

  /// Of piece `p`, among the CTA's.
  WARPLINE_DEVICE int offset(int p) const { return p * step + thread * Vector; }
  WARPLINE_DEVICE int column(int p) const { return first + offset(p); }
  /// Whether the piece belongs to the row. (Of many single elements, none needs a register of its
  /// own by the second comparison; of pieces by the first.)
  WARPLINE_DEVICE bool has(int p) const {
    return Way::filled || (Way::aligned ? offset(p) < end : p * step < end - thread * Vector);
  }

  /// Whether a thread of the row has the piece. Of single elements, which are many, groups that
  /// nobody has are passed over.
  WARPLINE_DEVICE bool anyone_has(int p) const { return Way::aligned || p * step < end; }
  static constexpr int pieces_of_group = Way::aligned ? Pieces : Pieces < 4 ? Pieces : 4;

  /// How many elements of this thread's pieces belong to the row.
  WARPLINE_DEVICE int count_present() const {
    int present = 0;
    WARPLINE_UNROLL
    for (int p = 0; p < Pieces; ++p) {
      present += has(p) ? Vector : 0;
    }
    return present;
  }

  /// Addresses that follow are worked out again: kept from earlier accesses on, they take too many
  /// registers.
  WARPLINE_DEVICE void forget_addresses() {
    thread = static_cast<int>(isa::opaque(static_cast<uint32_t>(thread)));
  }

  /// One thread of the row, of all CTAs that have a part.
  WARPLINE_DEVICE bool first_of_row() const { return thread == 0 && first == 0 && end > 0; }
};

/// Their values.
template <int Pieces, int Vector, int Threads, class Way>
struct RowValues : RowPieces<Pieces, Vector, Threads, Way> {
  float x[Pieces * Vector];

  template <class Body>
  WARPLINE_DEVICE void for_each(Body body) {
    constexpr int group = RowValues::pieces_of_group;
    WARPLINE_UNROLL
    for (int p = 0; p < Pieces; p += group) {
      if (this->anyone_has(p)) {
        WARPLINE_UNROLL
        for (int i = p * Vector; i < (p + group) * Vector; ++i) {
          body(x[i]);
        }
      }
    }
  }

  /// body(x) for the elements that the row has.
  template <class Body>
  WARPLINE_DEVICE void for_each_present(Body body) const {
    WARPLINE_UNROLL
    for (int p = 0; p < Pieces; ++p) {
      if (p % RowValues::pieces_of_group == 0 && !this->anyone_has(p)) {
        break;
      }
      if (this->has(p)) {
        WARPLINE_UNROLL
        for (int v = 0; v < Vector; ++v) {
          body(x[p * Vector + v]);
        }
      }
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
