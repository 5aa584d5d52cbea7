// Reductions of long rows at the speed of memory. A row is cut into segments, CTAs take segments in
// turn; each leaves one accumulator, in an order that depends on the shape alone: the same bits
// from run to run.
//
//   role       warps   does
//   consumer   0-7     waits for full, adds its elements of the stage to its accumulators, frees
// the
//                      stage; at a segment's end reduces over the CTA, and one thread stores
//   producer   8       waits for empty; one thread issues the bulk copy of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     8, one for each consumer warp    the consumers, after a proxy fence
//
//   shared memory   stages x 16 KB (and 16 bytes for neighbours of an unaligned stretch), barriers,
//                   results of warps
#pragma once

#include "reduction/reduce_arguments.h"
#include "rows/row_loader.h"
#include "warpline/launch.h"
#include "warpline/numbers.h"
#include "warpline/pipeline.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Op` as in reduce_ops.h.
template <class Op>
struct ReduceKernel {
  using T = typename Op::Element;
  using Accumulator = typename Op::Accumulator;
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
    /// One accumulator for each segment, row by row; or, of rows of one segment, results.
    void* out;
    int64_t out_stride;
    ReduceOutput out_type;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    typename Reduction::Storage reduction;
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const ReduceExtents& extents = arguments.extents;
    const int64_t items = extents.rows * extents.segments;
    Ring ring(shared.ring);
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
            Accumulator sums[vector];
            WARPLINE_UNROLL
            for (Accumulator& sum : sums) {
              sum = Op::identity;
            }
            for (int64_t at = 0; at < stretch.count; at += stage_elements) {
              auto slot = end.acquire();
              add(slot->elements.elements, shift, shift + count_at(stretch, at), thread, sums);
            }
            Accumulator all = sums[0];
            WARPLINE_UNROLL
            for (int v = 1; v < vector; ++v) {
              all = Op::combine(all, sums[v]);
            }
            all = reduce(all, [](Accumulator a, Accumulator b) { return Op::combine(a, b); });
            if (thread == 0) {
              store(arguments, item, all);
            }
          }
        });
  }

 private:
  struct Stretch {
    const T* first;
    int64_t count;
  };

  static WARPLINE_DEVICE Stretch stretch_of(const Arguments& arguments, int64_t item) {
    const ReduceExtents& extents = arguments.extents;
    const int64_t row = item / extents.segments;
    const int64_t begin = (item - row * extents.segments) * extents.segment;
    const int64_t left = extents.columns - begin;
    return {arguments.in.row(row) + begin, left < extents.segment ? left : extents.segment};
  }

  static WARPLINE_DEVICE int count_at(const Stretch& stretch, int64_t at) {
    const int64_t left = stretch.count - at;
    return left < stage_elements ? static_cast<int>(left) : stage_elements;
  }

  /// Elements [begin, end) of a stage, in units of 16 bytes: of the first and the last unit, which
  /// an unaligned stretch shares with its neighbours, only what belongs to it.
  static WARPLINE_DEVICE void add(const T* elements, int begin, int end, int thread,
                                  Accumulator (&sums)[vector]) {
    using Unit = Pack<T, vector>;
    const auto unit_at = [&](int at) {
      return isa::load_shared(*reinterpret_cast<const Unit*>(elements + at));
    };
    constexpr int step = threads * vector;
    constexpr int whole = stage_elements / step;
    if (begin == 0 && end == stage_elements) {
      WARPLINE_UNROLL
      for (int i = 0; i < whole; ++i) {
        const Unit unit = unit_at(i * step + thread * vector);
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          sums[v] = Op::combine(sums[v], Op::map(unit.element[v]));
        }
      }
      return;
    }
    WARPLINE_NO_UNROLL
    for (int at = thread * vector; at < end; at += step) {
      if (at >= begin && at + vector <= end) {
        const Unit unit = unit_at(at);
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          sums[v] = Op::combine(sums[v], Op::map(unit.element[v]));
        }
      } else {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (at + v >= begin && at + v < end) {
            sums[v] = Op::combine(sums[v], Op::map(isa::load_shared(elements[at + v])));
          }
        }
      }
    }
  }

  static WARPLINE_DEVICE void store(const Arguments& arguments, int64_t item, Accumulator all) {
    const int64_t at = item * arguments.out_stride;
    switch (arguments.out_type) {
      case ReduceOutput::accumulator:
        isa::store_global(static_cast<Accumulator*>(arguments.out) + at, all);
        break;
      case ReduceOutput::fp32:
        isa::store_global(static_cast<float*>(arguments.out) + at,
                          static_cast<float>(Op::result(all)));
        break;
      case ReduceOutput::fp16:
        isa::store_global(static_cast<__half*>(arguments.out) + at,
                          from_float<__half>(static_cast<float>(Op::result(all))));
        break;
      case ReduceOutput::bf16:
        isa::store_global(static_cast<__nv_bfloat16*>(arguments.out) + at,
                          from_float<__nv_bfloat16>(static_cast<float>(Op::result(all))));
        break;
      case ReduceOutput::int32:
        isa::store_global(static_cast<int32_t*>(arguments.out) + at,
                          static_cast<int32_t>(Op::result(all)));
        break;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
