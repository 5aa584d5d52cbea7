// A thread's loads from rows in global memory whose element type is known at run time.
#pragma once

#include "rows/typed_view.h"
#include "warpline/isa/opaque.h"
#include "warpline/isa/prefetch.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

namespace typed_detail {

/// Of rows of T. Loads are on their way in groups of 64 bytes, or of four single elements: for all
/// of a row there would be too few registers.
template <class T, class Values, class Body>
WARPLINE_DEVICE void with_pieces(const T* from, Values& values, Body body) {
  constexpr int vector = Values::vector;
  constexpr int units = vector / width<T, vector>;
  constexpr int wanted = 4 / units;
  constexpr int group = wanted < Values::pieces ? wanted : Values::pieces;
  constexpr int of_unit = width<T, vector>;
  using Words = PackWords<T, of_unit>;
  WARPLINE_UNROLL
  for (int first = 0; first < Values::pieces; first += group) {
    if (!values.anyone_has(first)) {
      break;
    }
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
      // What stands for single elements that are not there is computed with, rather than left out.
      if (vector == 1 || values.has(first + i)) {
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

}  // namespace typed_detail

/// body(x, element) for each of this thread's values and the row's element at its place, wherever
/// the row begins; it may be 0 for a value that the row has not got.
template <class Values, class Body>
WARPLINE_DEVICE void with_elements(const TypedRows& rows, int64_t row, Values& values, Body body) {
  const int64_t first = row * rows.stride + values.first;
  if constexpr (Values::aligned) {
    using T = typename Values::Type;
    if (sizeof(T) == 4 || rows.type != ElementType::fp32) {
      typed_detail::with_pieces(static_cast<const T*>(rows.data) + first, values, body);
    } else {
      typed_detail::with_pieces(static_cast<const float*>(rows.data) + first, values, body);
    }
  } else {
    typed_detail::with_type(rows.type, [&](auto type) {
      using T = typename decltype(type)::Type;
      typed_detail::with_pieces(static_cast<const T*>(rows.data) + first, values, body);
    });
  }
}

/// Has the elements that with_elements() will read of a row on their way. Of aligned rows alone:
/// for single elements it would take as many instructions as their loads.
template <class Values>
WARPLINE_DEVICE void touch_elements(const TypedRows& rows, const Values& values) {
  if constexpr (Values::aligned) {
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
