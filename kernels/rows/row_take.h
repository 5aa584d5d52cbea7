// From a stage to registers: what consumers do with the pieces of an input.
#pragma once

#include "rows/held_values.h"
#include "rows/row_values.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// body(x, element) for the elements of pieces [First, Last) of `values`, where the CTA's piece at
/// offset 0 would begin at `place` of the array, which has whole units of 16 bytes wherever there
/// is one of the row's elements.
template <class Kernel, class T, int First, int Last, class Array, class Body>
WARPLINE_DEVICE void take_as(const Array& array, int place, typename Kernel::Values& values,
                             Body body) {
  constexpr int vector = Kernel::Values::vector;
  using Unit = Pack<T, vector>;
  static_assert(sizeof(T) == sizeof(array.elements[0]));
  const T* row = reinterpret_cast<const T*>(array.elements) + place;
  const bool units = place % vector == 0;
  WARPLINE_UNROLL
  for (int p = First; p < Last; ++p) {
    float* x = values.x + p * vector;
    const int at = values.offset(p);
    float in[vector];
    if (units && values.whole(p)) {
      unpack(isa::load_shared(*reinterpret_cast<const Unit*>(row + at)), in);
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        body(x[v], in[v]);
      }
    } else if (values.has(p)) {
      if constexpr (Kernel::shifts) {
        const auto here = static_cast<int>(isa::opaque(static_cast<uint32_t>(at)));
        unpack(load_shared_anywhere<vector>(row, here, values.wanted()), in);
      }
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        if (values.present(p, v)) {
          body(x[v], Kernel::shifts ? in[v] : to_float(isa::load_shared(row[at + v])));
        }
      }
    }
  }
}

/// One kernel is for both types of 16 bits: which they are is a branch around the loop.
template <class Kernel, int First, int Last, class Array, class Body>
WARPLINE_DEVICE void take(const typename Kernel::Arguments& arguments, const Array& array,
                          int place, typename Kernel::Values& values, Body body) {
  using T = typename Kernel::T;
  if constexpr (sizeof(T) == 2) {
    if (arguments.bf16) {
      take_as<Kernel, __nv_bfloat16, First, Last>(array, place, values, body);
      return;
    }
  }
  take_as<Kernel, T, First, Last>(array, place, values, body);
}

/// The first input's elements; Op::absent where there are none.
template <class Kernel, int First, int Last, class Array>
WARPLINE_DEVICE void take_first(const typename Kernel::Arguments& arguments, const Array& array,
                                int place, typename Kernel::Values& values) {
  using Op = typename Kernel::Operation;
  constexpr int vector = Kernel::Values::vector;
  WARPLINE_UNROLL
  for (int i = First * vector; i < Last * vector; ++i) {
    values.x[i] = Op::absent;
  }
  take<Kernel, First, Last>(arguments, array, place, values, [&](float& x, float element) {
    x = Op::absorb(arguments.op, element);
  });
}

/// A second input is added.
template <class Kernel, int First, int Last, class Array>
WARPLINE_DEVICE void take_second(const typename Kernel::Arguments& arguments, const Array& array,
                                 int place, typename Kernel::Values& values) {
  take<Kernel, First, Last>(arguments, array, place, values,
                            [](float& x, float element) { x += element; });
}

/// What becomes of input `Input`'s pieces.
template <class Kernel, int Input, int First, int Last, class Array>
WARPLINE_DEVICE void take_input(const typename Kernel::Arguments& arguments, const Array& array,
                                int place, typename Kernel::Values& values) {
  if constexpr (Kernel::holds) {
    values.template hold<First, Last>(Input, array.elements, place);
  } else if constexpr (Input == 0) {
    take_first<Kernel, First, Last>(arguments, array, place, values);
  } else {
    take_second<Kernel, First, Last>(arguments, array, place, values);
  }
}

/// Pieces [First, Last), which are beyond the CTA's part of the row.
template <class Kernel, int First, int Last>
WARPLINE_DEVICE void take_nothing(typename Kernel::Values& values) {
  if constexpr (Kernel::holds) {
    values.template hold_nothing<First, Last>();
  } else {
    constexpr int vector = Kernel::Values::vector;
    WARPLINE_UNROLL
    for (int i = First * vector; i < Last * vector; ++i) {
      values.x[i] = Kernel::Operation::absent;
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
