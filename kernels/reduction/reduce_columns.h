// Reductions over rows of columns, at the speed of memory. The columns are cut into tiles and the
// rows into segments; CTAs take the parts in turn, and each leaves an accumulator for each of its
// columns, in an order that depends on the shape alone.
//
//   role       warps   does
//   consumer   0-7     waits for full; `units` threads share a row, so that each has the same
//                      columns of every 256 / units-th row; frees the stage. At a part's end those
//                      of a column are combined, and stored
//   producer   8       waits for empty; one thread issues the bulk copies of a stage
//
//   barrier          arrivals                         completed by
//   full[stage]      1, and the announced bytes       the copy engine
//   empty[stage]     8, one for each consumer warp    the consumers, after a proxy fence
//
//   shared memory   stages x 16 KB (and 16 bytes for neighbours of an unaligned stretch), barriers,
//                   what each thread has of its columns
#pragma once

#include "reduction/reduce_columns_part.h"
#include "reduction/reduce_store.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

/// All reductions of T but argmax, or argmax.
template <class Element, bool Argmax>
struct ReduceColumns {
  using T = Element;
  static constexpr int threads = reduce_columns_threads;
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
  using Ring = Pipeline<Stage, PipelineConfig{.stages = 5}, FilledByCopies<Producer>,
                        ReadByThreads<Consumer>>;
  static constexpr LaunchConfig launch{.name = Argmax ? "reduce_columns_argmax" : "reduce_columns",
                                       .min_ctas_per_sm = 2};

  using Group = ThreadGroup<Roles, Consumer>;
  using Arguments = ReduceColumnsArguments<T>;
  /// The same type for all reductions of T.
  using Running = std::conditional_t<Argmax, ReduceArgmax<T>, ReduceSum<T>>::Running;
  struct SharedMemory {
    typename Ring::Storage ring;
    Running columns[threads * vector];
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int64_t part = isa::block_index().x; part < arguments.parts;
               part += isa::grid_size().x) {
            load_columns(arguments, arguments.part(part), end);
          }
        },
        [&](const Group& group) {
          auto end = ring.consumer(group);
          if constexpr (Argmax) {
            reduce_parts<ReduceArgmax<T>>(arguments, end, group, shared);
          } else if (arguments.step == ReduceStep::sum) {
            reduce_parts<ReduceSum<T>>(arguments, end, group, shared);
          } else if (arguments.step == ReduceStep::maximum) {
            reduce_parts<ReduceMax<T>>(arguments, end, group, shared);
          } else if (arguments.step == ReduceStep::minimum) {
            reduce_parts<ReduceMin<T>>(arguments, end, group, shared);
          } else if constexpr (!__is_same(T, int32_t)) {
            reduce_parts<ReduceNorm<T>>(arguments, end, group, shared);
          }
        });
  }

 private:
  template <class Op, class End>
  static WARPLINE_DEVICE void reduce_parts(const Arguments& arguments, End& end, const Group& group,
                                           SharedMemory& shared) {
    const int thread = static_cast<int>(group.thread_rank());
    for (int64_t index = isa::block_index().x; index < arguments.parts;
         index += isa::grid_size().x) {
      const ReducePart<T> part = arguments.part(index);
      Running mine[vector];
      WARPLINE_UNROLL
      for (Running& running : mine) {
        running = Op::start();
      }
      for (int64_t k = 0; k < part.rows; k += arguments.rows_per_stage) {
        auto slot = end.acquire();
        take<Op>(arguments, part, k, slot->elements.elements, thread, mine);
      }
      leave(arguments, thread, mine, shared.columns);
      group.sync();
      combine<Op>(arguments, part, thread, shared.columns);
      group.sync();
    }
  }

  /// This thread's columns of its rows of a stage, which begins with row `k` of the part.
  template <class Op>
  static WARPLINE_DEVICE void take(const Arguments& arguments, const ReducePart<T>& part, int64_t k,
                                   const T* elements, int thread, Running (&mine)[vector]) {
    const int rows = arguments.rows_at(part, k);
    const int step = threads / arguments.units;
    const int column = thread % arguments.units * (arguments.at_once ? vector : 1);
    int r = thread / arguments.units;
    if (r >= step || column >= part.columns) {
      return;
    }
    const auto turn = static_cast<uint32_t>(k);
    WARPLINE_NO_UNROLL
    for (; r < rows; r += step) {
      const T* from = elements + (r * arguments.pitch + column);
      if (arguments.at_once) {
        using Unit = Pack<T, vector>;
        const Unit unit = isa::load_shared(*reinterpret_cast<const Unit*>(from));
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          Op::take(mine[v], unit.element[v], turn + static_cast<uint32_t>(r));
        }
      } else {
        const int64_t stretch = k + (arguments.contiguous ? 0 : r);
        from += misalignment(arguments.row(part, stretch));
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          if (v < arguments.each && column + v * arguments.units < part.columns) {
            Op::take(mine[v], isa::load_shared(from[v * arguments.units]),
                     turn + static_cast<uint32_t>(r));
          }
        }
      }
    }
  }

  /// As rows of the tile, one for each group of `units` threads.
  static WARPLINE_DEVICE void leave(const Arguments& arguments, int thread,
                                    const Running (&mine)[vector], Running* columns) {
    const int unit = thread % arguments.units;
    const int group = thread / arguments.units;
    if (group >= threads / arguments.units) {
      return;
    }
    Running* const row = columns + group * arguments.units * arguments.each;
    WARPLINE_UNROLL
    for (int v = 0; v < vector; ++v) {
      if (v < arguments.each) {
        const int column = arguments.at_once ? unit * vector + v : unit + v * arguments.units;
        isa::store_shared(row[column], mine[v]);
      }
    }
  }

  template <class Op>
  static WARPLINE_DEVICE void combine(const Arguments& arguments, const ReducePart<T>& part,
                                      int thread, const Running* columns) {
    const int width = arguments.units * arguments.each;
    const int groups = threads / arguments.units;
    for (int column = thread; column < part.columns; column += threads) {
      auto all = partial<Op>(isa::load_shared(columns[column]), part.first_row);
      WARPLINE_NO_UNROLL
      for (int other = 1; other < groups; ++other) {
        all = Op::combine(
            all, partial<Op>(isa::load_shared(columns[other * width + column]), part.first_row));
      }
      store_reduced(arguments.out, arguments.out_type, arguments.root, arguments.extents, part.o,
                    part.segment, part.first_column + column, all);
    }
  }

  template <class Op>
  static WARPLINE_DEVICE auto partial(const Running& running, int64_t first_row) {
    if constexpr (Argmax) {
      return Op::partial(running, first_row + running.turn);
    } else {
      return running;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
