// Rows in global memory whose element type is known at run time: a branch that all threads take
// together; and a thread's values on their way there.
#pragma once

#include <cstdint>

#include "rows/row_values.h"
#include "rows/typed_rows.h"
#include "warpline/isa/memory.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct TypeOf {
  using Type = T;
};

namespace typed_detail {

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

/// with_type, or the one type that there is.
template <class Way, class Body>
WARPLINE_DEVICE void with_type_of(ElementType type, Body body) {
  if constexpr (Way::aligned) {
    body(TypeOf<typename Way::Type>{});
  } else {
    with_type(type, body);
  }
}

/// `Count` elements in accesses of 16 bytes at most.
template <class T, int Count>
inline constexpr int width = Count * static_cast<int>(sizeof(T)) <= 16 ? Count : 16 / sizeof(T);

}  // namespace typed_detail

/// Stores result(x) for each of this thread's values to the row's element at its place.
template <class Values, class Result>
WARPLINE_DEVICE void store_values(const TypedRows& rows, int64_t row, const Values& values,
                                  Result result) {
  typed_detail::with_type_of<Values>(rows.type, [&](auto type) {
    using T = typename decltype(type)::Type;
    constexpr int vector = Values::vector;
    constexpr int width = typed_detail::width<T, vector>;
    using Unit = Pack<T, width>;
    T* first = static_cast<T*>(rows.data) + (row * rows.stride + values.column(0));
    WARPLINE_UNROLL
    for (int p = 0; p < Values::pieces; ++p) {
      if (p % Values::pieces_of_group == 0 && !values.anyone_has(p)) {
        break;
      }
      if (values.has(p)) {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; v += width) {
          float y[width];
          WARPLINE_UNROLL
          for (int i = 0; i < width; ++i) {
            y[i] = result(values.x[p * vector + v + i]);
          }
          isa::store_global(reinterpret_cast<Unit*>(first + p * Values::step + v),
                            pack<T, width>(y));
        }
      }
    }
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
