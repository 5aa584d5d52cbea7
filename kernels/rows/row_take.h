// From a stage, or from memory, to registers: what consumers do with the pieces of an input.
#pragma once

#include "rows/held_values.h"
#include "rows/row_values.h"
#include "warpline/numbers.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

/// body(x, element) for the elements of pieces [First, Last) that are there, none(x) for others.
/// Of a stage two loads are on their way at a time, of single elements four: with four of 16 bytes,
/// kernels of 72 registers spilled. (Of single elements, groups that no thread of the row has are
/// left as they are: RowValues::for_each leaves them out.)
template <class T, int First, int Last, class Row, class Values, class Body, class None>
WARPLINE_DEVICE void take_as(const Row& row, Values& values, Body body, None none) {
  constexpr int vector = Values::vector;
  constexpr int wanted = Row::in_memory ? Last - First : vector == 1 ? 4 : 2;
  constexpr int group = (Last - First) % wanted == 0 ? wanted : 1;
  using Words = PackWords<T, vector>;
  WARPLINE_UNROLL
  for (int first = First; first < Last; first += group) {
    if (!values.anyone_has(first)) {
      break;
    }
    Words words[group] = {};
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      if (values.has(first + i)) {
        words[i] = row.template load<Words>(values.offset(first + i));
      }
    }
    WARPLINE_UNROLL
    for (int i = 0; i < group; ++i) {
      float* x = values.x + (first + i) * vector;
      if (values.has(first + i)) {
        float in[vector];
        unpack_words<T, vector>(words[i], in);
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          body(x[v], in[v]);
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

/// The same; of rows that lie anywhere one kernel is for both types of 16 bits: which they are is a
/// branch around the loop.
template <class Kernel, int First, int Last, class Row, class Values, class Body, class None>
WARPLINE_DEVICE void take(const typename Kernel::Arguments& arguments, const Row& row,
                          Values& values, Body body, None none) {
  if constexpr (Values::aligned) {
    take_as<typename Values::Type, First, Last>(row, values, body, none);
  } else if (sizeof(typename Kernel::T) == 2 && arguments.bf16) {
    take_as<__nv_bfloat16, First, Last>(row, values, body, none);
  } else {
    take_as<typename Kernel::T, First, Last>(row, values, body, none);
  }
}

/// The first input's elements; Op::absent where there are none.
template <class Kernel, int First, int Last, class Row, class Values>
WARPLINE_DEVICE void take_first(const typename Kernel::Arguments& arguments, const Row& row,
                                Values& values) {
  using Op = typename Kernel::Operation;
  take<Kernel, First, Last>(
      arguments, row, values,
      [&](float& x, float element) { x = Op::absorb(arguments.op, element); },
      [](float& x) { x = Op::absent; });
}

/// A second input is added.
template <class Kernel, int First, int Last, class Row, class Values>
WARPLINE_DEVICE void take_second(const typename Kernel::Arguments& arguments, const Row& row,
                                 Values& values) {
  take<Kernel, First, Last>(
      arguments, row, values, [](float& x, float element) { x += element; }, [](float&) {});
}

/// What becomes of input `Input`'s pieces.
template <class Kernel, int Input, int First, int Last, class Row, class Values>
WARPLINE_DEVICE void take_input(const typename Kernel::Arguments& arguments, const Row& row,
                                Values& values) {
  if constexpr (Kernel::holds) {
    values.template hold<First, Last>(Input, row);
  } else if constexpr (Input == 0) {
    take_first<Kernel, First, Last>(arguments, row, values);
  } else {
    take_second<Kernel, First, Last>(arguments, row, values);
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
