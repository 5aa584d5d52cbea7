// From a stage to registers: what consumers do with the pieces of an input.
#pragma once

#include "rows/held_values.h"
#include "rows/row_values.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

/// body(x, element) for the elements of pieces [First, Last) of `values`, where the CTA's piece at
/// offset 0 would begin at `place` of the array, which has whole units of 16 bytes wherever there
/// is one of the row's elements.
template <class T, int First, int Last, class Array, class Values, class Body>
WARPLINE_DEVICE void take_as(const Array& array, int place, Values& values, Body body) {
  constexpr int vector = Values::vector;
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
      const auto here = static_cast<int>(isa::opaque(static_cast<uint32_t>(at)));
      unpack(load_shared_anywhere<vector>(row, here, values.wanted()), in);
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        if (values.present(p, v)) {
          body(x[v], in[v]);
        }
      }
    }
  }
}

/// One kernel is for both types of 16 bits: which they are is a branch around the loop.
template <class Kernel, int First, int Last, class Array, class Values, class Body>
WARPLINE_DEVICE void take(const typename Kernel::Arguments& arguments, const Array& array,
                          int place, Values& values, Body body) {
  using T = typename Kernel::T;
  if constexpr (sizeof(T) == 2) {
    if (arguments.bf16) {
      take_as<__nv_bfloat16, First, Last>(array, place, values, body);
      return;
    }
  }
  take_as<T, First, Last>(array, place, values, body);
}

/// body(x, element) for the elements of pieces [First, Last) that are there, none(x) for others.
/// Two loads are on their way at a time: with four, kernels of 72 registers spilled.
template <int First, int Last, class T, class Values, class Body, class None>
WARPLINE_DEVICE void take_aligned(const T* row, Values& values, Body body, None none) {
  constexpr int vector = Values::vector;
  constexpr int group = (Last - First) % 2 == 0 ? 2 : 1;
  using Words = PackWords<T, vector>;
  WARPLINE_UNROLL
  for (int first = First; first < Last; first += group) {
    Words words[group] = {};
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      if (values.has(first + i)) {
        words[i] =
            isa::load_shared(*reinterpret_cast<const Words*>(row + values.offset(first + i)));
      }
    }
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      float* x = values.x + (first + i) * vector;
      if (values.has(first + i)) {
        float in[vector];
        unpack_words<typename Values::Type, vector>(words[i], in);
        if (Values::whole_pieces || values.whole(first + i)) {
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            body(x[v], in[v]);
          }
        } else {
          WARPLINE_UNROLL
          for (int v = 0; v < vector; ++v) {
            if (values.present(first + i, v)) {
              body(x[v], in[v]);
            } else {
              none(x[v]);
            }
          }
        }
      } else {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          none(x[v]);
        }
      }
    }
  }
}

/// The first input's elements; Op::absent where there are none.
template <class Kernel, int First, int Last, class Array, class Values>
WARPLINE_DEVICE void take_first(const typename Kernel::Arguments& arguments, const Array& array,
                                int place, Values& values) {
  using Op = typename Kernel::Operation;
  constexpr int vector = Values::vector;
  const auto absorb = [&](float& x, float element) { x = Op::absorb(arguments.op, element); };
  if constexpr (Values::aligned) {
    take_aligned<First, Last>(array.elements + place, values, absorb,
                              [](float& x) { x = Op::absent; });
  } else {
    WARPLINE_UNROLL
    for (int i = First * vector; i < Last * vector; ++i) {
      values.x[i] = Op::absent;
    }
    take<Kernel, First, Last>(arguments, array, place, values, absorb);
  }
}

/// A second input is added.
template <class Kernel, int First, int Last, class Array, class Values>
WARPLINE_DEVICE void take_second(const typename Kernel::Arguments& arguments, const Array& array,
                                 int place, Values& values) {
  const auto add = [](float& x, float element) { x += element; };
  if constexpr (Values::aligned) {
    take_aligned<First, Last>(array.elements + place, values, add, [](float&) {});
  } else {
    take<Kernel, First, Last>(arguments, array, place, values, add);
  }
}

/// What becomes of input `Input`'s pieces.
template <class Kernel, int Input, int First, int Last, class Array, class Values>
WARPLINE_DEVICE void take_input(const typename Kernel::Arguments& arguments, const Array& array,
                                int place, Values& values) {
  if constexpr (Kernel::holds) {
    values.template hold<First, Last>(Input, array.elements, place);
  } else if constexpr (Input == 0) {
    take_first<Kernel, First, Last>(arguments, array, place, values);
  } else {
    take_second<Kernel, First, Last>(arguments, array, place, values);
  }
}

/// A second input that there is not: what is held of it would be kept for the next row.
template <class Kernel, int First, int Last, class Values>
WARPLINE_DEVICE void take_no_second(Values& values) {
  if constexpr (Kernel::holds) {
    values.template hold_nothing<First, Last>(1);
  }
}

/// Pieces [First, Last), which are beyond the CTA's part of the row.
template <class Kernel, int First, int Last, class Values>
WARPLINE_DEVICE void take_nothing(Values& values) {
  if constexpr (Kernel::holds) {
    WARPLINE_UNROLL
    for (int i = 0; i < Kernel::Operation::max_inputs; ++i) {
      values.template hold_nothing<First, Last>(i);
    }
  } else {
    constexpr int vector = Values::vector;
    WARPLINE_UNROLL
    for (int i = First * vector; i < Last * vector; ++i) {
      values.x[i] = Kernel::Operation::absent;
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
