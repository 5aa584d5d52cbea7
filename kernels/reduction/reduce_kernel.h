// Reductions of long rows at the speed of memory. A row is cut into segments, CTAs take segments in
// turn; each leaves one accumulator, in an order that depends on the shape alone: the same bits
// from run to run.
//
//   role       warps   does
//   consumer   0-7     waits for full, takes its elements of the stage, frees it; at the end of a
//                      segment reduces over the CTA, and one thread stores
//   producer   8       waits for empty; one thread issues the bulk copy of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     8, one for each consumer warp    the consumers, after a proxy fence
//
//   shared memory   stages x 16 KB (and 16 bytes for neighbours of an unaligned stretch), barriers,
//                   results of warps
#pragma once

#include "reduction/argmax_op.h"
#include "reduction/reduce_store.h"
#include "rows/row_loader.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Op` as in reduce_ops.h.
template <class Op>
struct ReduceKernel {
  using T = typename Op::Element;
  using Accumulator = typename Op::Accumulator;
  using Running = typename Op::Running;
  static constexpr int threads = 256;
  static constexpr int vector = 16 / static_cast<int>(sizeof(T));
  static constexpr int stage_elements = reduce_stage_bytes / static_cast<int>(sizeof(T));

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = threads / 32};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  struct Stage {
    SharedArray<T, stage_elements + vector> elements;
  };
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 6}, FilledByCopies<Producer>,
                        ReadByThreads<Consumer>>;
  static constexpr LaunchConfig launch{.name = Op::name, .min_ctas_per_sm = 2};

  using Group = ThreadGroup<Roles, Consumer>;
  using Reduction = GroupReduction<Accumulator, Group>;

  struct Arguments {
    RowInput<T> in;
    ReduceExtents extents;
    void* out;
    ReduceOutput out_type;
    bool root;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const ReduceExtents& extents = arguments.extents;
    const int64_t items = extents.outer * extents.inner * extents.segments;
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int64_t item = isa::block_index().x; item < items; item += isa::grid_size().x) {
            const Stretch stretch = stretch_of(arguments, item);
            for (int64_t at = 0; at < stretch.count; at += stage_elements) {
              auto slot = end.acquire();
              load_stretch(slot, slot->elements, 0, stretch.first + at, count_at(stretch, at),
                           arguments.in);
            }
          }
        },
        [&](const Group& group) {
          auto end = ring.consumer(group);
          Reduction reduce(shared.reduction, group);
          const int thread = static_cast<int>(group.thread_rank());
          for (int64_t item = isa::block_index().x; item < items; item += isa::grid_size().x) {
            const Stretch stretch = stretch_of(arguments, item);
            const int shift = misalignment(stretch.first);
            Running sums[vector];
            WARPLINE_UNROLL
            for (Running& sum : sums) {
              sum = Op::start();
            }
            for (int64_t at = 0; at < stretch.count; at += stage_elements) {
              auto slot = end.acquire();
              take(slot->elements.elements, shift, shift + count_at(stretch, at), thread,
                   static_cast<uint32_t>(at / vector), sums);
            }
            Accumulator all = partial(sums[0], stretch.begin - shift);
            WARPLINE_UNROLL
            for (int v = 1; v < vector; ++v) {
              all = Op::combine(all, partial(sums[v], stretch.begin - shift + v));
            }
            all = reduce(all, [](Accumulator a, Accumulator b) { return Op::combine(a, b); });
            if (thread == 0) {
              store_reduced(arguments.out, arguments.out_type, arguments.root, extents, stretch.o,
                            stretch.segment, stretch.i, all);
            }
          }
        });
  }

 private:
  /// A segment: where it is in x and in its row, and whose result it is a part of.
  struct Stretch {
    const T* first;
    int64_t begin;
    int64_t count;
    int64_t segment;
    int64_t o;
    int64_t i;
  };

  static WARPLINE_DEVICE Stretch stretch_of(const Arguments& arguments, int64_t item) {
    const ReduceExtents& extents = arguments.extents;
    const int64_t row = item / extents.segments;
    const int64_t segment = item - row * extents.segments;
    const int64_t begin = segment * extents.segment;
    const int64_t left = extents.reduced - begin;
    const int64_t o = extents.inner == 1 ? row : row / extents.inner;
    const int64_t i = row - o * extents.inner;
    return {arguments.in.data + (o * extents.x_outer + i * extents.x_inner + begin),
            begin,
            left < extents.segment ? left : extents.segment,
            segment,
            o,
            i};
  }

  /// `index` is of turn 0. (2^32 turns are 64 GB of one segment.)
  static WARPLINE_DEVICE Accumulator partial(const Running& running, int64_t index) {
    if constexpr (finds_index<Op>) {
      return Op::partial(running, index + int64_t{running.turn} * vector);
    } else {
      return running;
    }
  }

  static WARPLINE_DEVICE int count_at(const Stretch& stretch, int64_t at) {
    const int64_t left = stretch.count - at;
    return left < stage_elements ? static_cast<int>(left) : stage_elements;
  }

  /// Elements [begin, end) of a stage, in units of 16 bytes: of the first and the last unit, which
  /// an unaligned stretch shares with its neighbours, only what belongs to it. `turn` is that of
  /// the stage's first unit.
  static WARPLINE_DEVICE void take(const T* elements, int begin, int end, int thread, uint32_t turn,
                                   Running (&sums)[vector]) {
    using Unit = Pack<T, vector>;
    const auto take_unit = [&](int at) {
      const Unit unit = isa::load_shared(*reinterpret_cast<const Unit*>(elements + at));
      WARPLINE_UNROLL
      for (int v = 0; v < vector; ++v) {
        Op::take(sums[v], unit.element[v], turn + static_cast<uint32_t>(at / vector));
      }
    };
    constexpr int step = threads * vector;
    constexpr int whole = stage_elements / step;
    if (begin == 0 && end == stage_elements) {
      WARPLINE_UNROLL
      for (int i = 0; i < whole; ++i) {
        take_unit(i * step + thread * vector);
      }
      return;
    }
    WARPLINE_NO_UNROLL
    for (int at = thread * vector; at < end; at += step) {
      if (at >= begin && at + vector <= end) {
        take_unit(at);
      } else {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (at + v >= begin && at + v < end) {
            Op::take(sums[v], isa::load_shared(elements[at + v]),
                     turn + static_cast<uint32_t>(at / vector));
          }
        }
      }
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
