// Results that are made piece by piece, as they are stored: a thread need not have room for all.
#pragma once

#include "rows/typed_view.h"

namespace warpline::inline WARPLINE_TARGET {

/// Stores what make(p, y) makes of each of this thread's pieces: y[0] to y[vector - 1].
template <class Pieces, class Make>
WARPLINE_DEVICE void store_pieces(const TypedRows& rows, int64_t row, const Pieces& pieces,
                                  Make make) {
  constexpr int vector = Pieces::vector;
  const int64_t first = row * rows.stride + pieces.first;
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
      T* const to = static_cast<T*>(rows.data) + first;
      if constexpr (Pieces::aligned) {
        constexpr int width = typed_detail::width<T, vector>;
        using Unit = Pack<T, width>;
        T* const piece = to + pieces.offset(0) + p * Pieces::step;
        WARPLINE_UNROLL
        for (int v = 0; v < vector; v += width) {
          isa::store_global_streaming(reinterpret_cast<Unit*>(piece + v), pack<T, width>(y + v));
        }
      } else {
        T* const element = to + pieces.offset(0, 0);
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (pieces.present(p, v)) {
            isa::store_global_streaming(element + (pieces.offset(p, v) - pieces.offset(0, 0)),
                                        from_float<T>(y[v]));
          }
        }
      }
    });
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
