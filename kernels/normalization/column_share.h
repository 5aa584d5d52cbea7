// The columns that a thread has of every row, and its accesses to them.
#pragma once

#include "rows/anywhere.h"
#include "rows/typed_view.h"
#include "warpline/isa/opaque.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/warp.h"
#include "warpline/numbers.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Pieces` times `Vector` columns, the same ones in all rows: what is summed over rows stays in
/// registers. So pieces begin on 16 bytes in rows that are aligned, and anywhere in others.
template <int Pieces, int Vector, int Threads, class Way>
struct ColumnShare : Way {
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int step = Threads * Vector;
  /// Of a warp, those that share a row.
  static constexpr int lanes = Threads < threads_per_warp ? Threads : threads_per_warp;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Columns of the row (or of the CTA's part of it); 0: no row.
  int count = 0;

  WARPLINE_DEVICE int column(int p) const { return p * step + thread * Vector; }
  WARPLINE_DEVICE bool has(int p) const { return column(p) < count; }
  WARPLINE_DEVICE bool whole(int p) const { return column(p) + Vector <= count; }
  WARPLINE_DEVICE bool present(int p, int v) const { return column(p) + v < count; }

  /// Whether any lane of this warp has some of piece `p`, or may have: all of them agree.
  WARPLINE_DEVICE bool warp_has(int p) const {
    return Threads < threads_per_warp || p * step + thread / lanes * lanes * Vector < count;
  }
  WARPLINE_DEVICE int lane() const { return thread % lanes; }
};

/// The same number, computed where it is used: what follows from a column is not kept for the next
/// operand, in too many registers.
WARPLINE_DEVICE int anew(int column) {
  return static_cast<int>(isa::opaque(static_cast<uint32_t>(column)));
}

/// Piece `p`, of which there is some, of a row in shared memory, as bits; zeros for columns that it
/// has not got. Of the row's columns, all units of 16 bytes that have one must have been written
/// whole.
template <class T, class Share>
WARPLINE_DEVICE PackWords<T, Share::vector> read_piece(const Share& share, int p, const T* row) {
  constexpr int vector = Share::vector;
  using Words = PackWords<T, vector>;
  if constexpr (Share::aligned) {
    return isa::load_shared(*reinterpret_cast<const Words*>(row + share.column(p)));
  } else {
    const int column = anew(share.column(p));
    const ElementRange wanted{column, share.count};
    return bits_as<Words>(
        wanted_of(load_shared_anywhere<vector>(row, column, wanted), column, wanted));
  }
}

/// The weights of an aligned piece.
template <class T, class Share>
WARPLINE_DEVICE void read_aligned_weight(const T* piece, float (&values)[Share::vector]) {
  constexpr int width = typed_detail::width<T, Share::vector>;
  using Words = PackWords<T, width>;
  WARPLINE_UNROLL
  for (int v = 0; v < Share::vector; v += width) {
    unpack_words<T, width>(isa::load_global(reinterpret_cast<const Words*>(piece + v)), values + v);
  }
}

/// Piece `p`, of which there is some, of a row of `columns` in global memory of any type, of which
/// the CTA's part begins with column `first`; any of its numbers for columns that the piece has not
/// got, ones if it has no address.
template <class Share>
WARPLINE_DEVICE void read_weight(const Share& share, int p, const TypedRows& weight, int first,
                                 int columns, float (&values)[Share::vector]) {
  constexpr int vector = Share::vector;
  if (weight.data == nullptr) {
    WARPLINE_UNROLL
    for (float& value : values) {
      value = 1;
    }
    return;
  }
  if constexpr (Share::aligned) {
    using T = typename Share::Type;
    const int at = first + share.column(p);
    if (sizeof(T) == 4 || weight.type != ElementType::fp32) {
      read_aligned_weight<T, Share>(static_cast<const T*>(weight.data) + at, values);
    } else {
      read_aligned_weight<float, Share>(static_cast<const float*>(weight.data) + at, values);
    }
  } else {
    typed_detail::with_type(weight.type, [&](auto type) {
      using T = typename decltype(type)::Type;
      constexpr int width = typed_detail::width<T, vector>;
      const T* part = static_cast<const T*>(weight.data) + first;
      const int column = anew(share.column(p));
      WARPLINE_UNROLL
      for (int v = 0; v < vector; v += width) {
        unpack(load_global_anywhere<width>(part, column + v, {column, share.count},
                                           {-first, columns - first}),
               values + v);
      }
    });
  }
}

/// Piece `p` of a row in global memory, where it has columns. All lanes of a warp come along: where
/// the row does not begin on 16 bytes, a lane stores the unit that begins in its piece and ends in
/// the next lane's. Single elements are what remains at the ends of a warp's pieces and of the row.
template <class T, class Share>
WARPLINE_DEVICE void write_anywhere(const Share& share, int p, T* row,
                                    const PackWords<T, Share::vector>& piece) {
  constexpr int vector = Share::vector;
  // Of fp32, which has twice the pieces, columns would be kept from the reads on.
  const int column = sizeof(T) == 4 ? anew(share.column(p)) : share.column(p);
  using Words = Pack<uint32_t, 4>;
  Words bits;
  Words next;
  WARPLINE_UNROLL
  for (int w = 0; w < 4; ++w) {
    bits.element[w] = isa::opaque(piece.element[w]);
    next.element[w] = isa::shuffle(bits.element[w], (isa::lane_index() + 1) % threads_per_warp);
  }
  // Of the piece, `head` elements belong to the unit that the lane before stores.
  const int head = -anywhere_detail::phase_of<vector>(row) & (vector - 1);
  const bool unit =
      column + head + vector <= share.count && (head == 0 || share.lane() != Share::lanes - 1);
  const bool by_lane_before = column + head <= share.count && share.lane() != 0;
  if (unit) {
    Words shifted;
    shift_words<4, sizeof(T)>(bits.element, next.element, static_cast<uint32_t>(head) * sizeof(T),
                              shifted.element);
    isa::store_global_streaming(reinterpret_cast<Words*>(row + column + head), shifted);
  }
  const int left = share.count - column;
  const int end = unit ? head : vector;
  const ElementRange single{by_lane_before ? head : 0, end < left ? end : left};
  WARPLINE_UNROLL
  for (int v = 0; v < vector; ++v) {
    using Bits = BitsOf<sizeof(T)>;
    constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    if (single.has(v)) {
      isa::store_global_streaming(
          reinterpret_cast<Bits*>(row) + column + v,
          static_cast<Bits>(bits.element[v / per_word] >> (v % per_word * 16)));
    }
  }
}

/// Piece `p` of a row in global memory, where it has columns. All lanes of a warp come along.
template <class T, class Share>
WARPLINE_DEVICE void write_piece(const Share& share, int p, T* row,
                                 const PackWords<T, Share::vector>& piece) {
  if constexpr (!Share::aligned) {
    write_anywhere(share, p, row, piece);
  } else if (share.has(p)) {
    using Words = PackWords<T, Share::vector>;
    // One address for all pieces.
    T* const first = row + share.column(0);
    isa::store_global_streaming(reinterpret_cast<Words*>(first + p * Share::step), piece);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
