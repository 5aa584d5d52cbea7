// The columns that a thread has of every row, and its accesses to them.
#pragma once

#include "rows/typed_view.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Pieces` times `Vector` columns, the same ones in all rows: what is summed over rows stays in
/// registers. Pieces are accesses of 16 bytes in rows that are aligned, and elements in others.
template <int Pieces, int Vector, int Threads, class Way>
struct ColumnShare : Way {
  static_assert(Way::aligned || Vector == 1, "in rows that lie anywhere a piece is one element");
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int step = Threads * Vector;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Columns of the row (or of the CTA's part of it); 0: no row.
  int count = 0;

  WARPLINE_DEVICE int column(int p) const { return p * step + thread * Vector; }
  /// (As RowPieces::has.)
  WARPLINE_DEVICE bool has(int p) const {
    return Way::aligned ? column(p) < count : p * step < count - thread * Vector;
  }
  /// Whether no thread has pieces from `p` on: asked where groups of single elements begin.
  WARPLINE_DEVICE bool ends_before(int p) const {
    return !Way::aligned && p % 4 == 0 && p * step >= count;
  }
};

/// Piece `p`, which the row has, in shared memory, as bits.
template <class T, class Share>
WARPLINE_DEVICE PackWords<T, Share::vector> read_piece(const Share& share, int p, const T* row) {
  using Words = PackWords<T, Share::vector>;
  return isa::load_shared(*reinterpret_cast<const Words*>(row + share.column(p)));
}

namespace column_detail {

template <class T, class Share>
WARPLINE_DEVICE void read_weight_as(const T* piece, float (&values)[Share::vector]) {
  constexpr int width = typed_detail::width<T, Share::vector>;
  using Words = PackWords<T, width>;
  WARPLINE_UNROLL
  for (int v = 0; v < Share::vector; v += width) {
    unpack_words<T, width>(isa::load_global(reinterpret_cast<const Words*>(piece + v)), values + v);
  }
}

}  // namespace column_detail

/// Piece `p`, which the row has, of a row in global memory of any type, of which the CTA's part
/// begins with column `first`; ones if it has no address.
template <class Share>
WARPLINE_DEVICE void read_weight(const Share& share, int p, const TypedRows& weight, int first,
                                 float (&values)[Share::vector]) {
  if (weight.data == nullptr) {
    WARPLINE_UNROLL
    for (float& value : values) {
      value = 1;
    }
    return;
  }
  const int at = first + share.column(p);
  const auto read = [&](auto type) {
    using T = typename decltype(type)::Type;
    column_detail::read_weight_as<T, Share>(static_cast<const T*>(weight.data) + at, values);
  };
  if constexpr (!Share::aligned) {
    typed_detail::with_type(weight.type, read);
  } else if (weight.type == ElementType::fp32) {
    read(TypeOf<float>{});
  } else {
    read(TypeOf<typename Share::Type>{});
  }
}

/// Piece `p`, which the row has, of a row in global memory.
template <class T, class Share>
WARPLINE_DEVICE void write_piece(const Share& share, int p, T* row,
                                 const PackWords<T, Share::vector>& piece) {
  using Words = PackWords<T, Share::vector>;
  // One address for all pieces.
  T* const first = row + share.column(0);
  isa::store_global_streaming(reinterpret_cast<Words*>(first + p * Share::step), piece);
}

}  // namespace warpline::inline WARPLINE_TARGET
