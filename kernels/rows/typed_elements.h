// A thread's loads from rows in global memory whose element type is known at run time: pieces at
// once, wherever they begin, but for the ends of a row.
#pragma once

#include "rows/typed_view.h"
#include "warpline/isa/opaque.h"

namespace warpline::inline WARPLINE_TARGET {

/// body(x, element) for each of this thread's values and the row's element at its place. Where
/// pieces do not fall on their accesses, or hang over the row's ends, element by element: for
/// kernels whose lanes are a row, which have no registers for more.
template <class Values, class Body>
WARPLINE_DEVICE void with_elements_one_by_one(const TypedRows& rows, int64_t row, Values& values,
                                              Body body) {
  typed_detail::with_type(rows.type, [&](auto type) {
    using T = typename decltype(type)::Type;
    constexpr int vector = Values::vector;
    constexpr int width = typed_detail::width<T, vector>;
    using Unit = Pack<T, width>;
    const T* first = static_cast<const T*>(rows.data) + (row * rows.stride + values.column(0));
    values.for_each_piece(
        typed_detail::falls_on<Unit>(first),
        [&](int p) {
          float elements[vector];
          WARPLINE_UNROLL
          for (int v = 0; v < vector; v += width) {
            unpack(isa::load_global(reinterpret_cast<const Unit*>(first + p * Values::step + v)),
                   elements + v);
          }
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            body(values.x[p * vector + v], elements[v]);
          }
        },
        [&](int p, int v) {
          body(values.x[p * vector + v], to_float(isa::load_global(first + p * Values::step + v)));
        });
  });
}

namespace typed_detail {

/// body(x, element) for each of this thread's values and the row's element at its place, of a type
/// of `Bytes` bytes; the CTA's first piece would begin at `from`. 0 for what a piece has not got of
/// the row.
template <int Bytes, class Values, class Body>
WARPLINE_DEVICE void with_bits(const void* from, bool bf16, Values& values, Body body) {
  using Bits = BitsOf<Bytes>;
  constexpr int vector = Values::vector;
  using Unit = UnitOf<Bits, vector>;
  constexpr int unit = width<Bits, vector>;
  const Bits* row = static_cast<const Bits*>(from);
  const bool units = falls_on<Unit>(row);
  WARPLINE_UNROLL
  for (int p = 0; p < Values::pieces; ++p) {
    if (values.has(p)) {
      // Or what follows from it is kept for all operands, in too many registers.
      const auto at = static_cast<int>(isa::opaque(static_cast<uint32_t>(values.offset(p))));
      Unit loaded[vector / unit];
      if (units && values.whole(p)) {
        WARPLINE_UNROLL
        for (int u = 0; u < vector / unit; ++u) {
          loaded[u] = isa::load_global(reinterpret_cast<const Unit*>(row + (at + u * unit)));
        }
      } else {
        WARPLINE_UNROLL
        for (int u = 0; u < vector / unit; ++u) {
          const int first = at + u * unit;
          loaded[u] =
              wanted_of(load_global_anywhere<unit>(row, first, values.wanted(), values.all()),
                        first, values.wanted());
        }
      }
      WARPLINE_UNROLL
      for (int u = 0; u < vector / unit; ++u) {
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
  if constexpr (Values::step <= threads_per_warp * Values::vector) {
    with_elements_one_by_one(rows, row, values, body);
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

/// body(x, a's element, b's element) for each of this thread's values, of one row each. In one
/// pass, so that the loads of both are on their way together; only if both have one type of 16 bits
/// and this thread's pieces fall on their accesses, or nothing is done: false.
template <class Values, class Body>
WARPLINE_DEVICE bool with_elements_of_two(const TypedRows& a, const TypedRows& b, Values& values,
                                          Body body) {
  constexpr int vector = Values::vector;
  using Bits = Pack<__half, vector>;
  const int column = values.column(0);
  const __half* of_a = static_cast<const __half*>(a.data) + column;
  const __half* of_b = static_cast<const __half*>(b.data) + column;
  if (a.type == ElementType::fp32 || a.type != b.type || !typed_detail::falls_on<Bits>(of_a) ||
      !typed_detail::falls_on<Bits>(of_b)) {
    return false;
  }
  const auto pass = [&](auto type) {
    using T = typename decltype(type)::Type;
    using Unit = Pack<T, vector>;
    const T* from_a = reinterpret_cast<const T*>(of_a);
    const T* from_b = reinterpret_cast<const T*>(of_b);
    values.for_each_piece(
        true,
        [&](int p) {
          const int at = p * Values::step;
          float one[vector];
          float other[vector];
          unpack(isa::load_global(reinterpret_cast<const Unit*>(from_a + at)), one);
          unpack(isa::load_global(reinterpret_cast<const Unit*>(from_b + at)), other);
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            body(values.x[p * vector + v], one[v], other[v]);
          }
        },
        [&](int p, int v) {
          const int at = p * Values::step + v;
          body(values.x[p * vector + v], to_float(isa::load_global(from_a + at)),
               to_float(isa::load_global(from_b + at)));
        });
  };
  if (a.type == ElementType::fp16) {
    pass(TypeOf<__half>{});
  } else {
    pass(TypeOf<__nv_bfloat16>{});
  }
  return true;
}

}  // namespace warpline::inline WARPLINE_TARGET
