// Results that are made piece by piece, as they are stored: a thread need not have room for all.
#pragma once

#include "rows/typed_view.h"

namespace warpline::inline WARPLINE_TARGET {

/// Stores what make(p, y) makes of each of this thread's pieces: y[0] to y[vector - 1].
template <class Pieces, class Make>
WARPLINE_DEVICE void store_pieces(const TypedRows& rows, int64_t row, const Pieces& pieces,
                                  Make make) {
  constexpr int vector = Pieces::vector;
  const int64_t first = row * rows.stride + pieces.column(0);
  WARPLINE_UNROLL
  for (int p = 0; p < Pieces::pieces; ++p) {
    if (!pieces.has(p)) {
      continue;
    }
    float y[vector];
    make(p, y);
    // A branch for each piece: around the loop it would copy `make` for each type.
    typed_detail::with_type_of<Pieces>(rows.type, [&](auto type) {
      using T = typename decltype(type)::Type;
      constexpr int width = typed_detail::width<T, vector>;
      using Unit = Pack<T, width>;
      T* to = static_cast<T*>(rows.data) + first + p * Pieces::step;
      if (pieces.whole(p) && (Pieces::aligned || typed_detail::falls_on<Unit>(to))) {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; v += width) {
          isa::store_global_streaming(reinterpret_cast<Unit*>(to + v), pack<T, width>(y + v));
        }
      } else {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (pieces.present(p, v)) {
            isa::store_global_streaming(to + v, from_float<T>(y[v]));
          }
        }
      }
    });
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
