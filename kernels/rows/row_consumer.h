// The consumers of a kernel of rows: from the stages to registers, and through the operation.
#pragma once

#include "rows/row_arguments.h"
#include "rows/row_take.h"
#include "warpline/isa/opaque.h"
#include "warpline/reduce.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// A thread's elements of a row, as `Op` wants them.
template <class T, class Op, int Pieces, int Vector, int Threads, class Way>
using RowShare = std::conditional_t<requires { Op::holds; },
                                    HeldValues<T, Op::max_inputs, Pieces, Vector, Threads, Way>,
                                    RowValues<Pieces, Vector, Threads, Way>>;

/// How many elements of the row the part has whose threads reduce for themselves: the CTA's, or the
/// warp's.
template <class Reduce, class Values>
WARPLINE_DEVICE int elements_of_part(const Values& values) {
  if constexpr (requires { Reduce::parts_are_warps; }) {
    constexpr int of_warp = threads_per_warp * Values::vector;
    const int first = values.thread / threads_per_warp * of_warp;
    int count = 0;
    WARPLINE_UNROLL
    for (int p = 0; p < Values::pieces; ++p) {
      const int left = values.end - (p * Values::step + first);
      count += left < 0 ? 0 : left < of_warp ? left : of_warp;
    }
    return count;
  } else {
    return values.end;
  }
}

/// A thread's share of a row, none of it taken yet. Each row has its own: what one leaves out would
/// be kept in registers for the next.
template <class Kernel, class Way>
WARPLINE_DEVICE auto share_of(const typename Kernel::Arguments& arguments, const RowPart& part,
                              int thread) {
  typename Kernel::template Values<Way> values;
  values.thread = thread;
  values.columns = arguments.columns;
  values.first = part.first;
  values.end = part.end;
  return values;
}

/// What an operation may do before the first row is there.
template <class Kernel, class Way>
WARPLINE_DEVICE void prepare(const typename Kernel::Arguments& arguments, int thread) {
  using Op = typename Kernel::Operation;
  using Values = typename Kernel::template Values<Way>;
  if constexpr (Way::aligned &&
                requires(const Values& values) { Op::prepare(arguments.op, values); }) {
    Op::prepare(arguments.op, share_of<Kernel, Way>(arguments, arguments.part_of_row(), thread));
  }
}

/// Many rows in a stage, each for `threads_per_row` lanes. All lanes of a warp come along, with or
/// without a row: they reduce together.
template <class Kernel, class Way, class End, class Group>
WARPLINE_DEVICE void read_rows(const typename Kernel::Arguments& arguments, End& end,
                               const Group& group) {
  using Op = typename Kernel::Operation;
  using T = typename Kernel::T;
  constexpr int lanes = Kernel::threads_per_row;
  constexpr int at_a_time = Group::threads / lanes;
  const int mine = static_cast<int>(group.thread_rank()) / lanes;
  const int lane = static_cast<int>(group.thread_rank()) % lanes;
  const LaneReduction<lanes> reduce{};
  prepare<Kernel, Way>(arguments, lane);
  arguments.for_each_unit([&](int unit) {
    const int64_t first = int64_t{unit} * arguments.rows_per_stage;
    const int rows = arguments.rows_of_stage(first);
    auto slot = end.acquire();
    for (int r = mine; r - mine < rows; r += at_a_time) {
      const int64_t row = first + r;
      const RowPart part = arguments.part_of_row();
      // Or what follows from it is kept for all rows, in too many registers.
      auto values = share_of<Kernel, Way>(
          arguments, part, static_cast<int>(isa::opaque(static_cast<uint32_t>(lane))));
      values.end = r < rows ? part.end : 0;
      const int64_t stretch = arguments.contiguous ? first : row;
      const int place = r * arguments.pitch;
      const auto shift = [&](int input) {
        return Way::aligned ? 0 : arguments.shift(input, stretch, 0);
      };
      const auto row_at = [&](int at) { return RowInStage<T>{slot->elements.elements, at}; };
      take_input<Kernel, 0, 0, Kernel::pieces>(arguments, row_at(place + shift(0)), values);
      if constexpr (Op::max_inputs > 1) {
        if (arguments.inputs > 1) {
          take_input<Kernel, 1, 0, Kernel::pieces>(
              arguments, row_at(arguments.plane + place + shift(1)), values);
        } else {
          take_no_second<Kernel, 0, Kernel::pieces>(values);
        }
      }
      Op::process(arguments.op, row, values, reduce);
    }
  });
}

/// A row (or the CTA's part of it) in several stages, each freed once it is in registers: the next
/// row is on its way while this one is reduced and stored.
template <class Kernel, class Way, class End, class Group, class Reduce>
WARPLINE_DEVICE void read_parts(const typename Kernel::Arguments& arguments, End& end,
                                const Group& group, Reduce& reduce) {
  using Op = typename Kernel::Operation;
  using T = typename Kernel::T;
  using Values = typename Kernel::template Values<Way>;
  constexpr int stage_elements = Kernel::stage_elements;
  constexpr int pieces_per_stage = stage_elements / (Group::threads * Kernel::vector);
  static_assert(Kernel::pieces % pieces_per_stage == 0);
  // Asked for anew for each row: the longest rows have no register for it.
  const auto thread = [&] { return static_cast<int>(isa::opaque(group.thread_rank())); };
  prepare<Kernel, Way>(arguments, thread());
  arguments.for_each_unit([&](int row) {
    const RowPart part = arguments.part_of_row();
    Values values = share_of<Kernel, Way>(arguments, part, thread());
    static_for<0, Kernel::pieces / pieces_per_stage>([&](auto stage) {
      constexpr int first = decltype(stage)::value * pieces_per_stage;
      constexpr int last = first + pieces_per_stage;
      constexpr int at = decltype(stage)::value * stage_elements;
      const auto shift = [&](int input) {
        return Way::aligned ? 0 : arguments.shift(input, row, part.first + at);
      };
      if (at < part.end) {
        {
          auto slot = end.acquire();
          take_input<Kernel, 0, first, last>(
              arguments, RowInStage<T>{slot->elements.elements, shift(0) - at}, values);
        }
        if constexpr (Op::max_inputs > 1) {
          if (arguments.inputs > 1) {
            auto slot = end.acquire();
            take_input<Kernel, 1, first, last>(
                arguments, RowInStage<T>{slot->elements.elements, shift(1) - at}, values);
          } else {
            take_no_second<Kernel, first, last>(values);
          }
        }
      } else {
        take_nothing<Kernel, first, last>(values);
      }
    });
    Op::process(arguments.op, row, values, reduce);
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
