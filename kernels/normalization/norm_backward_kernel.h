// The backward pass of RMSNorm and LayerNorm, at the speed of memory: every byte is read once, by
// the copy engine, into a ring, whose stages hold whole rows; a row is read twice from there, once
// for its two sums and once for its result. Between the two lies the second pass of the row before,
// during which the threads exchange what they have. With n columns, x' = (h - mean) * rstd and
// g = dy * weight:
//
//   LayerNorm   dx = rstd * (g - sum(g) / n - x' * sum(g * x') / n) + dsum
//   RMSNorm     dx = rstd * (g - x' * sum(g * x') / n) + dsum            (x' = h * rstd)
//   both        dweight = sum over rows of dy * x',   dbias = sum over rows of dy
//
//   role       warps                does
//   consumer   0 to threads/32-1    waits for full; reads a row, begins its reduction; reads the
//                                   row before again, adds to its columns' gradients, frees its
//                                   stage, stores its dx; ends the reduction. At last leaves the
//                                   CTA's sums over rows in the workspace, for norm_gradients.h
//   producer   the last             waits for empty; one thread issues the bulk copies of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     one for each consumer warp       the consumers, after a proxy fence
//   received[2]      1, and a result of each CTA      st.async of the cluster's CTAs
//
//   shared memory   stages x (rows of h, dy and dsum; their rstd and mean), barriers, results of
//                   warps and CTAs, sums of the threads that share columns
#pragma once

#include "normalization/norm_backward_consumer.h"
#include "normalization/norm_backward_producer.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// T is float or __half, which stands for bf16, too.
template <class Element, NormBackwardConfig Config>
struct NormBackwardKernel {
  using T = Element;
  static constexpr bool whole_cta = Config.whole_cta();
  static constexpr int threads_per_row = Config.threads_per_row;
  static constexpr int pieces = Config.elements / Config.vector;
  static constexpr int unit = 16 / static_cast<int>(sizeof(T));
  static constexpr int cluster = Config.cluster;
  static constexpr bool bias = Config.bias;
  static constexpr int rows_at_a_time = Config.threads / Config.threads_per_row;
  /// The most rows of a stage, whose rstd and mean come along. (Of rows that are too long for the
  /// next shorter kernel, a stage has room for six.)
  static constexpr int most_rows = whole_cta ? 8 : 256;
  static constexpr bool holds_weight = Config.holds_weight;
  /// A row's first pass comes before the second one of the row before: a stage more is in use.
  static constexpr bool ahead = Config.stages > 2;
  template <class Way>
  using Share = ColumnShare<pieces, Config.vector, Config.threads_per_row, Way>;

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = Config.threads / 32};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    /// Each input begins on 16 bytes, and has room for the neighbours at its ends.
    SharedArray<T, Config.stage_elements + 3 * norm_backward_inputs * unit> elements;
    SharedArray<float, most_rows + 4> rstd;
    SharedArray<float, most_rows + 4> mean;
  };
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = {.x = Config.cluster}},
               FilledByCopies<Producer>, ReadByThreads<Consumer>>;

  static constexpr LaunchConfig launch{.name = "norm_backward",
                                       .min_ctas_per_sm = Config.ctas_per_sm,
                                       .cluster = {.x = Config.cluster}};

  using Group = ThreadGroup<Roles, Consumer>;
  using Reduction = RoleReduction<NormSums, Group, Config.cluster>;

  using Arguments = NormBackwardRows<T>;
  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
    /// Sums of the threads that share columns, for one piece.
    float sums[whole_cta ? 1 : Config.threads * Config.vector];
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if constexpr (cluster > 1) {
      if (isa::thread_index() == 0) {
        Reduction::prepare(shared.reduction);
      }
    }
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          load_norm_rows<NormBackwardKernel>(arguments, end);
          isa::let_successors_start();
        },
        [&](const Group& group) {
          with_way<T, Config.aligned>(arguments.bf16, [&](auto way) {
            NormBackwardConsumer<NormBackwardKernel, decltype(way)> consumer(
                arguments, static_cast<int>(group.thread_rank()));
            {
              auto end = ring.consumer(group);
              if constexpr (whole_cta) {
                Reduction reduce(shared.reduction, group);
                consumer.read(end, reduce);
              } else {
                consumer.read(end, LaneReduction<Config.threads_per_row>());
              }
            }
            consumer.leave_sums(group, shared.sums);
          });
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
