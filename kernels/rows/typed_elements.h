// A thread's loads from rows in global memory whose element type is known at run time: pieces at
// once, wherever they begin, but for the ends of a row.
#pragma once

#include "rows/typed_view.h"
#include "warpline/isa/opaque.h"
#include "warpline/isa/prefetch.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

namespace typed_detail {

/// Of rows of T that fall on accesses. Loads are on their way in groups of 64 bytes: of all of a
/// row there would be too few registers.
template <class T, class Values, class Body>
WARPLINE_DEVICE void with_aligned(const T* from, Values& values, Body body) {
  constexpr int vector = Values::vector;
  constexpr int units = vector / width<T, vector>;
  constexpr int group = 4 / units < Values::pieces ? 4 / units : Values::pieces;
  constexpr int of_unit = width<T, vector>;
  using Words = PackWords<T, of_unit>;
  WARPLINE_UNROLL
  for (int first = 0; first < Values::pieces; first += group) {
    Words loaded[group][units] = {};
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      if (values.has(first + i)) {
        const T* piece = from + values.offset(first + i);
        WARPLINE_UNROLL
        for (int u = 0; u < units; ++u) {
          loaded[i][u] = isa::load_global(reinterpret_cast<const Words*>(piece) + u);
        }
      }
    }
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      if (values.has(first + i)) {
        float elements[vector];
        WARPLINE_UNROLL
        for (int u = 0; u < units; ++u) {
          unpack_words<T, of_unit>(loaded[i][u], elements + u * of_unit);
        }
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          body(values.x[(first + i) * vector + v], elements[v]);
        }
      }
    }
  }
}

/// body(x, element) for each of this thread's values and the row's element at its place, of a type
/// of `Bytes` bytes; the CTA's first piece would begin at `from`. 0 for what a piece has not got of
/// the row.
template <int Bytes, class Values, class Body>
WARPLINE_DEVICE void with_bits(const void* from, bool bf16, Values& values, Body body) {
  using Bits = BitsOf<Bytes>;
  constexpr int vector = Values::vector;
  using Unit = UnitOf<Bits, vector>;
  constexpr int unit = width<Bits, vector>;
  constexpr int units = vector / unit;
  const Bits* row = static_cast<const Bits*>(from);
  // Pieces are a multiple of a unit apart: all of them begin as far behind one.
  const int phase = anywhere_detail::phase_of<unit>(row);
  const ElementRange all = values.all();
  WARPLINE_UNROLL
  for (int p = 0; p < Values::pieces; ++p) {
    if (values.has(p)) {
      // Or what follows from it is kept for all operands, in too many registers.
      const auto at = static_cast<int>(isa::opaque(static_cast<uint32_t>(values.offset(p))));
      const int begin = at - phase;
      const int end = at + vector + (phase == 0 ? 0 : unit - phase);
      Unit loaded[units];
      // No byte beside the row's elements is read.
      if (values.whole(p) && all.has_all(begin, end - begin)) {
        WARPLINE_UNROLL
        for (int u = 0; u < units; ++u) {
          loaded[u] = isa::load_global(reinterpret_cast<const Unit*>(row + (begin + u * unit)));
        }
        if (phase != 0) {
          const Unit next = isa::load_global(reinterpret_cast<const Unit*>(row + (begin + vector)));
          WARPLINE_UNROLL
          for (int u = 0; u < units; ++u) {
            loaded[u] = shift_elements(loaded[u], u + 1 < units ? loaded[u + 1] : next, phase);
          }
        }
      } else {
        // The ends of a row, one by one.
        const ElementRange wanted = values.wanted();
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          loaded[v / unit].element[v % unit] =
              wanted.has(at + v) ? isa::load_global(row + (at + v)) : Bits{0};
        }
      }
      WARPLINE_UNROLL
      for (int u = 0; u < units; ++u) {
        float elements[unit];
        unpack_bits(loaded[u], bf16, elements);
        WARPLINE_UNROLL
        for (int v = 0; v < unit; ++v) {
          body(values.x[p * vector + u * unit + v], elements[v]);
        }
      }
    }
  }
}

}  // namespace typed_detail

/// body(x, element) for each of this thread's values and the row's element at its place, wherever
/// the row begins; it may be 0 for a value that the row has not got.
template <class Values, class Body>
WARPLINE_DEVICE void with_elements(const TypedRows& rows, int64_t row, Values& values, Body body) {
  if constexpr (Values::weights_aligned) {
    using T = typename Values::Type;
    const int64_t first = row * rows.stride + values.first;
    if (sizeof(T) == 4 || rows.type != ElementType::fp32) {
      typed_detail::with_aligned(static_cast<const T*>(rows.data) + first, values, body);
    } else {
      typed_detail::with_aligned(static_cast<const float*>(rows.data) + first, values, body);
    }
  } else {
    const int64_t first = row * rows.stride + values.first;
    if (rows.type == ElementType::fp32) {
      typed_detail::with_bits<4>(static_cast<const uint32_t*>(rows.data) + first, false, values,
                                 body);
    } else {
      typed_detail::with_bits<2>(static_cast<const uint16_t*>(rows.data) + first,
                                 rows.type == ElementType::bf16, values, body);
    }
  }
}

/// Has the elements that with_elements() will read of a row on their way. Of aligned rows alone:
/// others' pieces begin elsewhere in each row.
template <class Values>
WARPLINE_DEVICE void touch_elements(const TypedRows& rows, const Values& values) {
  if constexpr (Values::weights_aligned) {
    const bool wide = rows.type == ElementType::fp32;
    const char* from = static_cast<const char*>(rows.data) + values.first * (wide ? 4 : 2);
    WARPLINE_UNROLL
    for (int p = 0; p < Values::pieces; ++p) {
      if (values.has(p)) {
        isa::touch_global(
            reinterpret_cast<const uint32_t*>(from + values.offset(p) * (wide ? 4 : 2)));
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
