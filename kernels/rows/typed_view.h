// A thread's accesses to rows in global memory whose element type is known at run time. All threads
// agree on it: its test is a uniform branch around the loop. Pieces that lie wholly in the row are
// accessed at once where they fall on the access, others element by element.
#pragma once

#include <cstdint>

#include "rows/typed_rows.h"
#include "warpline/isa/memory.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

namespace typed_detail {

template <class T>
struct TypeOf {
  using Type = T;
};

/// body(TypeOf<T>) of the type's T: one branch around a loop, not one in each of its turns.
template <class Body>
WARPLINE_DEVICE void with_type(ElementType type, Body body) {
  if (type == ElementType::fp32) {
    body(TypeOf<float>{});
  } else if (type == ElementType::fp16) {
    body(TypeOf<__half>{});
  } else {
    body(TypeOf<__nv_bfloat16>{});
  }
}

/// `Count` elements in accesses of 16 bytes at most.
template <class T, int Count>
inline constexpr int width = Count * static_cast<int>(sizeof(T)) <= 16 ? Count : 16 / sizeof(T);

/// Where this thread's first piece begins, and whether it falls on `Unit`: then all its pieces do.
template <class Unit, class T>
WARPLINE_DEVICE bool falls_on(const T* first) {
  return reinterpret_cast<uintptr_t>(first) % sizeof(Unit) == 0;
}

}  // namespace typed_detail

/// body(x, element) for each of this thread's values and the row's element at its place.
template <class Values, class Body>
WARPLINE_DEVICE void with_elements(const TypedRows& rows, int64_t row, Values& values, Body body) {
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

/// Stores result(x) for each of this thread's values to the row's element at its place.
template <class Values, class Result>
WARPLINE_DEVICE void store_values(const TypedRows& rows, int64_t row, const Values& values,
                                  Result result) {
  typed_detail::with_type(rows.type, [&](auto type) {
    using T = typename decltype(type)::Type;
    constexpr int vector = Values::vector;
    constexpr int width = typed_detail::width<T, vector>;
    using Unit = Pack<T, width>;
    T* first = static_cast<T*>(rows.data) + (row * rows.stride + values.column(0));
    values.for_each_piece(
        typed_detail::falls_on<Unit>(first),
        [&](int p) {
          WARPLINE_UNROLL
          for (int v = 0; v < vector; v += width) {
            float y[width];
            WARPLINE_UNROLL
            for (int i = 0; i < width; ++i) {
              y[i] = result(values.x[p * vector + v + i]);
            }
            isa::store_global_streaming(reinterpret_cast<Unit*>(first + p * Values::step + v),
                                        pack<T, width>(y));
          }
        },
        [&](int p, int v) {
          isa::store_global_streaming(first + p * Values::step + v,
                                      from_float<T>(result(values.x[p * vector + v])));
        });
  });
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
    pass(typed_detail::TypeOf<__half>{});
  } else {
    pass(typed_detail::TypeOf<__nv_bfloat16>{});
  }
  return true;
}

}  // namespace warpline::inline WARPLINE_TARGET
