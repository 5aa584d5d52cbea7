// Rows that the registers of a CTA hold, straight from memory to registers: nothing to set up and
// nothing to hand over, so that a row costs its accesses and its reductions. What keeps memory busy
// is that many CTAs are on a multiprocessor, each with all of its row's loads on their way. `Op` is
// what is computed (softmax/, normalization/), as for RowKernel.
//
//   role   warps                does
//   rows   0 to threads/32-1    loads its row's elements into registers; reduces; computes and
//                               stores the result
//
//   shared memory   results of warps, where a row has the whole CTA
//
// No barriers: a part of a warp, or all of a CTA, has one row. (The ring's kernels, in comparison:
// docs/measurements.md, "rows straight from memory".)
#pragma once

#include "rows/row_consumer.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Op, RowConfig Config>
struct DirectRowKernel {
  static_assert(
      Config.cluster == 1,
      "clusters have rings: exchanged one by one, rows of 65,536 elements ran at 0.7 of a "
      "copy's speed, streamed ones at 0.88");
  using T = typename Op::Element;
  using Operation = Op;
  static constexpr bool holds = requires { Op::holds; };
  static constexpr int pieces = Config.elements / Config.vector;
  static constexpr int threads_per_row = Config.threads_per_row;
  static constexpr int rows_per_cta = Config.threads / threads_per_row;
  template <class Way>
  using Values = RowShare<T, Op, pieces, Config.vector, threads_per_row, Way>;

  struct Rows {
    static constexpr RoleConfig config{.name = "rows", .warps = Config.threads / 32};
  };
  using Roles = RoleList<Rows>;
  using Group = ThreadGroup<Roles, Rows>;
  using Reduction = std::conditional_t<Config.whole_cta(), WarpsReduction<float, Group>,
                                       LaneReduction<threads_per_row>>;

  static constexpr LaunchConfig launch{.name = Op::direct_name,
                                       .min_ctas_per_sm = Config.min_ctas_per_sm};

  using Arguments = RowArguments<Op, Config>;
  struct SharedMemory {
    typename Reduction::Storage reduction;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    isa::wait_for_predecessors();
    dispatch<Roles>([&](const Group& group) {
      with_way<T, Config.aligned>(arguments.bf16, [&](auto way) {
        using Way = decltype(way);
        const uint32_t thread = group.thread_rank();
        const int64_t row = int64_t{isa::block_index().x} * rows_per_cta + thread / threads_per_row;
        // All lanes of a warp reduce together, with or without a row.
        const bool there = rows_per_cta == 1 || row < arguments.rows;
        auto values = share_of<DirectRowKernel, Way>(arguments, {0, there ? arguments.columns : 0},
                                                     static_cast<int>(thread % threads_per_row));
        take_from_memory(arguments, row, values);
        Reduction reduce(shared.reduction, group);
        Op::process(arguments.op, row, values, reduce);
      });
    });
  }

 private:
  template <class Values>
  static WARPLINE_DEVICE void take_from_memory(const Arguments& arguments, int64_t row,
                                               Values& values) {
    const auto row_of = [&](int input) { return RowInMemory<T>{arguments.in[input].row(row)}; };
    take_input<DirectRowKernel, 0, 0, pieces>(arguments, row_of(0), values);
    if constexpr (Op::max_inputs > 1) {
      if (arguments.inputs > 1) {
        take_input<DirectRowKernel, 1, 0, pieces>(arguments, row_of(1), values);
      } else {
        take_no_second<DirectRowKernel, 0, pieces>(values);
      }
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
