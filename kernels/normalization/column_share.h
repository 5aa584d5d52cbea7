// The columns that a thread has of every row, and its accesses to them.
#pragma once

#include "rows/typed_rows.h"
#include "rows/typed_view.h"
#include "warpline/isa/memory.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Pieces` times `Vector` columns, the same ones in all rows: what is summed over rows stays in
/// registers. Where rows fall on 16 bytes, a piece is `Vector` neighbours, read and written at
/// once; else its elements are `Threads` columns apart, so that a warp's single accesses are
/// neighbours.
template <int Pieces, int Vector, int Threads>
struct ColumnShare {
  static constexpr int pieces = Pieces;
  static constexpr int vector = Vector;
  static constexpr int step = Threads * Vector;

  /// Place of this thread among the row's.
  int thread = 0;
  /// Columns of the row (or of the CTA's part of it); 0: no row.
  int count = 0;
  /// Pieces of neighbours; `count` is a multiple of `Vector`.
  bool at_once = false;

  WARPLINE_DEVICE int column(int p, int v) const {
    return p * step + (at_once ? thread * Vector + v : v * Threads + thread);
  }
  WARPLINE_DEVICE bool has(int p) const { return column(p, 0) < count; }
  WARPLINE_DEVICE bool present(int p, int v) const { return column(p, v) < count; }
};

/// Piece `p` of a row in shared memory; zeros for columns that it has not got.
template <class T, class Share>
WARPLINE_DEVICE Pack<T, Share::vector> read_piece(const Share& share, int p, const T* row) {
  constexpr int vector = Share::vector;
  using Unit = Pack<T, vector>;
  if (share.at_once) {
    return isa::load_shared(*reinterpret_cast<const Unit*>(row + share.column(p, 0)));
  }
  Unit unit;
  WARPLINE_UNROLL
  for (int v = 0; v < vector; ++v) {
    unit.element[v] = from_float<T>(0);
    if (share.present(p, v)) {
      unit.element[v] = isa::load_shared(row[share.column(p, v)]);
    }
  }
  return unit;
}

/// Piece `p` of a row in global memory of any type; ones if it has no address.
template <class Share>
WARPLINE_DEVICE void read_weight(const Share& share, int p, const TypedRows& weight, int first,
                                 float (&values)[Share::vector]) {
  constexpr int vector = Share::vector;
  WARPLINE_UNROLL
  for (float& value : values) {
    value = 1;
  }
  if (weight.data == nullptr) {
    return;
  }
  typed_detail::with_type(weight.type, [&](auto type) {
    using T = typename decltype(type)::Type;
    constexpr int width = typed_detail::width<T, vector>;
    using Unit = Pack<T, width>;
    const T* from = static_cast<const T*>(weight.data) + first;
    if (share.at_once) {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; v += width) {
        unpack(isa::load_global(reinterpret_cast<const Unit*>(from + share.column(p, v))),
               values + v);
      }
    } else {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        if (share.present(p, v)) {
          values[v] = to_float(isa::load_global(from + share.column(p, v)));
        }
      }
    }
  });
}

/// Piece `p` of a row in global memory, where it has columns.
template <class T, class Share>
WARPLINE_DEVICE void write_piece(const Share& share, int p, T* row,
                                 const float (&values)[Share::vector]) {
  constexpr int vector = Share::vector;
  if (share.at_once) {
    isa::store_global_streaming(reinterpret_cast<Pack<T, vector>*>(row + share.column(p, 0)),
                                pack<T, vector>(values));
    return;
  }
  WARPLINE_UNROLL
  for (int v = 0; v < vector; ++v) {
    if (share.present(p, v)) {
      isa::store_global_streaming(row + share.column(p, v), from_float<T>(values[v]));
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
