// The consumers of a kernel of rows: from the stages to registers, through the reduction, to the
// result.
#pragma once

#include "rows/row_arguments.h"
#include "rows/row_values.h"
#include "warpline/numbers.h"
#include "warpline/reduce.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// Pieces [First, Last) of `values` from a stage's array; place[i] is where input i of the row (or of
/// the CTA's part) begins there.
template <class Kernel, int First, int Last, class Array>
WARPLINE_DEVICE void take(const typename Kernel::Arguments& arguments, const Array& array,
                          const int (&place)[Kernel::inputs], typename Kernel::Values& values) {
  using T = typename Kernel::T;
  using Op = typename Kernel::Operation;
  using Values = typename Kernel::Values;
  constexpr int vector = Values::vector;
  WARPLINE_UNROLL
  for (int p = First; p < Last; ++p) {
    float* x = values.x + p * vector;
    if (values.has(p)) {
      float in[Kernel::inputs][vector];
      WARPLINE_UNROLL
      for (int i = 0; i < Kernel::inputs; ++i) {
        const T* first = array.elements + (place[i] + values.offset(0));
        unpack(
            isa::load_shared(*reinterpret_cast<const Pack<T, vector>*>(first + p * Values::step)),
            in[i]);
      }
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        float elements[Kernel::inputs];
        WARPLINE_UNROLL
        for (int i = 0; i < Kernel::inputs; ++i) {
          elements[i] = in[i][v];
        }
        x[v] = Op::absorb(arguments.op, elements);
      }
    } else {
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        x[v] = Op::absent;
      }
    }
  }
}

/// Many rows in a stage, each for `threads_per_row` lanes. All lanes of a warp come along, with or
/// without a row: they reduce together.
template <class Kernel, class End, class Group>
WARPLINE_DEVICE void read_rows(const typename Kernel::Arguments& arguments, End& end,
                               const Group& group) {
  using Op = typename Kernel::Operation;
  constexpr int lanes = Kernel::threads_per_row;
  constexpr int at_a_time = Group::threads / lanes;
  const int mine = static_cast<int>(group.thread_rank()) / lanes;
  typename Kernel::Values values;
  values.thread = static_cast<int>(group.thread_rank()) % lanes;
  for (int64_t first = arguments.first_stage_row(); first < arguments.rows;
       first += arguments.stage_row_step()) {
    const int rows = arguments.rows_of_stage(first);
    auto slot = end.acquire();
    for (int r = mine; r - mine < rows; r += at_a_time) {
      values.columns = r < rows ? static_cast<int>(arguments.columns) : 0;
      const int64_t row = first + r;
      int place[Kernel::inputs];
      WARPLINE_UNROLL
      for (int i = 0; i < Kernel::inputs; ++i) {
        place[i] = i * Kernel::plane + r * arguments.pitch +
                   arguments.shift(i, arguments.contiguous ? first : row, 0);
      }
      take<Kernel, 0, Kernel::pieces>(arguments, slot->elements, place, values);
      auto partial = Op::gather(arguments.op, row, values);
      partial = reduce_lanes<lanes>(partial, Op::combine);
      Op::finish(arguments.op, row, arguments.columns, values, partial);
    }
  }
}

/// A row (or the CTA's part of it) in several stages, each freed once it is in registers: the next
/// row is on its way while this one is reduced and stored.
template <class Kernel, class End, class Group, class Reduce>
WARPLINE_DEVICE void read_parts(const typename Kernel::Arguments& arguments, End& end,
                                const Group& group, Reduce& reduce) {
  using Op = typename Kernel::Operation;
  using Values = typename Kernel::Values;
  constexpr int stage_elements = Kernel::stage_elements;
  constexpr int pieces_per_stage = stage_elements / (Group::threads * Values::vector);
  static_assert(Kernel::pieces % pieces_per_stage == 0);
  Values values;
  values.thread = static_cast<int>(group.thread_rank());
  values.first = arguments.part_begin();
  values.columns = arguments.part_columns();
  for (int64_t row = arguments.first_row(); row < arguments.rows; row += arguments.row_step()) {
    static_for<0, Kernel::pieces / pieces_per_stage>([&](auto stage) {
      constexpr int first_piece = decltype(stage)::value * pieces_per_stage;
      if (stage * stage_elements < values.columns) {
        auto slot = end.acquire();
        int place[Kernel::inputs];
        WARPLINE_UNROLL
        for (int i = 0; i < Kernel::inputs; ++i) {
          // Pieces are counted from the part's beginning.
          place[i] = i * Kernel::plane - stage * stage_elements +
                     arguments.shift(i, row, arguments.part_begin());
        }
        take<Kernel, first_piece, first_piece + pieces_per_stage>(arguments, slot->elements, place,
                                                                  values);
      } else {
        WARPLINE_UNROLL
        for (int i = 0; i < pieces_per_stage * Values::vector; ++i) {
          values.x[first_piece * Values::vector + i] = Op::absent;
        }
      }
    });
    const auto partial = reduce(Op::gather(arguments.op, row, values), Op::combine);
    Op::finish(arguments.op, row, arguments.columns, values, partial);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
