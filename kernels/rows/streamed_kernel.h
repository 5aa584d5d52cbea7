// Long rows at the speed of memory: a row (or the part of it that one CTA of a cluster has) stays
// in the ring's stages between its reduction and its result. Those who reduce are rows ahead of
// those who write, so that neither a meeting of threads nor an exchange between CTAs holds up a
// copy or a store. `Op` is what is computed (softmax/, normalization/).
//
//   role       warps                 does
//   reducer    0 to threads/32-1     waits for full, adds the stage's elements to its running
//                                    result, passes the stage on; after a row reduces with the
//                                    role's other threads and sends the part's result to all CTAs
//   writer     as many more          waits for the row's results of all CTAs, then for each of its
//                                    stages: takes the elements, frees the stage, stores results
//   producer   the last              waits for empty; one thread issues the bulk copies of a stage
//
//   barrier              arrivals                        completed by
//   full[stage]          1, and the announced bytes      the copy engine
//   transformed[stage]   one for each reducer warp       the reducers
//   empty[stage]         one for each writer warp        the writers, after a proxy fence
//   received[place]      1, and a result of each CTA     st.async of the cluster's CTAs
//
//   shared memory   stages x stage_elements of an input, barriers, results of warps and of CTAs
#pragma once

#include "rows/streamed_roles.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// An operation on rows of `Op::Element`, float or __half, which stands for bf16, too. Beside what
/// RowKernel asks for (Arguments, name, max_inputs, absent, absorb):
///
///   struct Part;                                       // of a CTA's part of a row, 16 bytes
///   struct Running; start() -> Running                 // of a thread
///   gather(arguments, row, values, running)            // of one stage
///   part_of(arguments, columns, running, reduce) -> Part
///   struct Result;                                     // what a row's elements share
///   result_of<Ctas>(arguments, part) -> Result         // by all lanes, lane i having CTA i's part
///   announce(arguments, row, result)                   // by one thread
///   static constexpr bool loops_turns;
///   static constexpr int streamed_stage_bytes;         // of aligned rows
///   writes(arguments) -> bool                          // or there is nothing but announce()
///   write(arguments, row, result, values)              // to memory, of one stage
///
/// reduce(float, combine) -> float is over the reducers of the CTA. The ring has room for a CTA's
/// part of a row in all inputs: nothing of it is freed before all of it was reduced.
template <class Op, RowConfig Config>
struct StreamedRowKernel {
  using T = typename Op::Element;
  using Operation = Op;
  static constexpr int stage_elements = Config.stage_elements;
  static constexpr int unit = 16 / static_cast<int>(sizeof(T));
  static constexpr bool aligned = Config.aligned;
  /// Of a turn, of which a stage has a few: what a thread has in registers at once.
  static constexpr int pieces_of_stage = stage_elements / (Config.threads * Config.vector);
  static constexpr int most_pieces = aligned ? 32 / Config.vector : 16;  // or it spills
  static constexpr int pieces = pieces_of_stage < most_pieces ? pieces_of_stage : most_pieces;
  /// Turns are a loop, or each has code of its own: softmax loses up to 4 % by a loop, LayerNorm
  /// gains 1 %.
  static constexpr bool loops_turns = !aligned || Op::loops_turns;
  static constexpr int turn_elements = pieces * Config.threads * Config.vector;
  static_assert(stage_elements % turn_elements == 0);
  static_assert(Config.threads_per_row == Config.threads);
  static_assert(Config.elements * Config.threads * Op::max_inputs <= Config.stages * stage_elements,
                "the ring must have room for a CTA's part of a row: give it more stages");
  template <class Way>
  using Values = RowValues<pieces, Config.vector, Config.threads, Way>;

  /// 17 warps have 96 registers each; who writes has weights beside the elements. (Small
  /// configurations have no whole warpgroups, and registers to spare.)
  static constexpr bool full_size = Config.threads == 256;
  static constexpr int launch_registers = full_size ? 96 : 0;
  struct Reducer {
    static constexpr RoleConfig config{
        .name = "reducer", .warps = Config.threads / 32, .registers = full_size ? 88 : 0};
  };
  struct Writer {
    static constexpr RoleConfig config{
        .name = "writer", .warps = Config.threads / 32, .registers = full_size ? 104 : 0};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Reducer, Writer, Producer>;
  struct Stage {
    /// Of rows that lie anywhere, with the neighbours in the 16 bytes at both ends.
    SharedArray<T, Config.stage_elements + (Config.aligned ? 0 : 2 * unit)> elements;
  };
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = {.x = Config.cluster}},
               FilledByCopies<Producer>, TransformedByThreads<Reducer>, ReadByThreads<Writer>>;

  static constexpr LaunchConfig launch{.name = Op::streamed_name,
                                       .min_ctas_per_sm = Config.min_ctas_per_sm,
                                       .registers = launch_registers,
                                       .cluster = {.x = Config.cluster}};

  using ReducerGroup = ThreadGroup<Roles, Reducer>;
  using WriterGroup = ThreadGroup<Roles, Writer>;
  using Reduction = GroupReduction<float, ReducerGroup>;
  using Results = ClusterResults<typename Op::Part, Config.cluster, 2 * Config.stages + 1>;

  using Arguments = RowArguments<Op, Config>;
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
    typename Results::Storage results;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if (isa::thread_index() == 0) {
      Results::prepare(shared.results);
    }
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    dispatch<Roles, launch_registers>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          load_streamed<StreamedRowKernel>(arguments, end);
          isa::let_successors_start();
        },
        [&](const ReducerGroup& group) {
          auto end = ring.transformer(group);
          with_way<T, Config.aligned>(arguments.bf16, [&](auto way) {
            Reduction reduce(shared.reduction, group);
            typename Results::template Sender<ReducerGroup> results(shared.results, group);
            reduce_streamed<StreamedRowKernel, decltype(way)>(arguments, end, group, reduce,
                                                              results);
          });
        },
        [&](const WriterGroup& group) {
          auto end = ring.consumer(group);
          with_way<T, Config.aligned>(arguments.bf16, [&](auto way) {
            typename Results::template Receiver<WriterGroup> results(shared.results);
            write_streamed<StreamedRowKernel, decltype(way)>(arguments, end, group, results);
          });
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
