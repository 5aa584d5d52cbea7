// Rows at the speed of memory: every input byte is read once, by the copy engine, into a ring; a
// row is held in registers between its reduction and its result, which is written from there.
// `Op` is what is computed (softmax/, normalization/, reduction/).
//
//   role       warps                does
//   consumer   0 to threads/32-1    waits for full, takes its elements into registers, frees the
//                                   stage; reduces; computes and stores the result
//   producer   the last             waits for empty; one thread issues the bulk copies of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     one for each consumer warp       the consumers, after a proxy fence
//   received[2]      1, and a result of each CTA      st.async of the cluster's CTAs
//
//   shared memory   stages x (stage_elements of each input), barriers, results of warps and CTAs
//
// Two shapes (RowConfig): many rows in a stage, each for a part of a warp; or a row in several
// stages, for all consumers of a CTA, or of a cluster whose CTAs have a part of the row each.
#pragma once

#include "rows/row_consumer.h"
#include "rows/row_producer.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// An operation on rows of `Op::Element`, float or __half, which stands for bf16, too:
///
///   static constexpr const char* name; static constexpr int max_inputs;
///   static constexpr float absent;           // stands for elements beyond the row
///   struct Arguments;
///   absorb(arguments, element) -> float      // of the first input; the second's is added to it
///   process(arguments, row, values, reduce)  // to the result, in memory
///
/// An operation that `holds` its inputs has no `absent` and `absorb`: it finds their elements in
/// the values (HeldValues).
///
/// reduce(float, combine) -> float is over all threads of the row; all call it, in the same order.
/// Where reduce.parts is more than one, the row is shared by CTAs or by warps that reduce for
/// themselves (reduce.local) and then exchange their results (reduce.exchange).
/// The values' memory has been read by then: `process` may write over it.
template <class Op, RowConfig Config>
struct RowKernel {
  using T = typename Op::Element;
  using Operation = Op;
  static constexpr int stage_elements = Config.stage_elements;
  static constexpr int threads_per_row = Config.threads_per_row;
  static constexpr bool whole_cta = Config.whole_cta();
  static constexpr int vector = Config.vector;
  static constexpr int pieces = Config.elements / Config.vector;
  static constexpr int unit = 16 / static_cast<int>(sizeof(T));
  static constexpr bool holds = requires { Op::holds; };
  template <class Way>
  using Values = RowShare<T, Op, pieces, Config.vector, threads_per_row, Way>;

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = Config.threads / 32};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    /// Room for the neighbours of an unaligned stretch, of which two inputs have one each.
    SharedArray<T, Config.stage_elements + 2 * unit> elements;
  };
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = {.x = Config.cluster}},
               FilledByCopies<Producer>, ReadByThreads<Consumer>>;

  static constexpr LaunchConfig launch{.name = Op::name,
                                       .min_ctas_per_sm = Config.min_ctas_per_sm,
                                       .cluster = {.x = Config.cluster}};

  using Group = ThreadGroup<Roles, Consumer>;
  using Reduction = RoleReduction<float, Group, Config.cluster>;

  using Arguments = RowArguments<Op, Config>;
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if constexpr (Config.cluster > 1) {
      if (isa::thread_index() == 0) {
        Reduction::prepare(shared.reduction);
      }
    }
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          if constexpr (whole_cta) {
            load_parts<RowKernel>(arguments, end);
          } else {
            load_rows<RowKernel>(arguments, end);
          }
          isa::let_successors_start();
        },
        [&](const Group& group) {
          auto end = ring.consumer(group);
          with_way<T, Config.aligned>(arguments.bf16, [&](auto way) {
            using Way = decltype(way);
            if constexpr (whole_cta) {
              Reduction reduce(shared.reduction, group);
              read_parts<RowKernel, Way>(arguments, end, group, reduce);
            } else {
              read_rows<RowKernel, Way>(arguments, end, group);
            }
          });
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
