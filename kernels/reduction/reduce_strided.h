// Reductions of elements that lie anywhere, and of what a first pass has left: threads load them
// themselves. `lanes` threads of a CTA share a result's segment; the order in which it is added up
// depends on the shape alone.
//
//   role       warps   does
//   consumer   0-7     loads its elements, every lanes-th of the segment; half of the lanes
//                      combine what they have with the other half's, until one has it and stores
//
//   shared memory   what each thread has
#pragma once

#include "reduction/argmax_op.h"
#include "reduction/reduce_store.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

inline constexpr int reduce_strided_threads = 256;

struct ReduceStridedArguments {
  ReduceTask task;
  /// Threads of a result's segment, a power of two, but not 2: what the last of them has left is
  /// then read before it leaves something again, since they meet once more in between.
  int lanes;
  /// Neighbouring threads have neighbouring elements of a result; else neighbouring results.
  bool lanes_are_neighbours;
};

/// Of fp16, bf16 and fp32; or of int32 and ArgmaxPartials.
template <class Value>
struct ReduceStrided {
  static constexpr bool integers = __is_same(Value, int32_t);
  static constexpr int threads = reduce_strided_threads;

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = threads / 32};
  };
  using Roles = RoleList<Consumer>;
  static constexpr LaunchConfig launch{.name = "reduce_strided", .min_ctas_per_sm = 4};

  /// The value, of argmax its key; and of argmax the index.
  struct Best {
    Value value;
    int64_t index;
  };
  using Arguments = ReduceStridedArguments;
  struct SharedMemory {
    Value value[threads];
    int64_t index[threads];
  };

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles>([&](const ThreadGroup<Roles, Consumer>& group) {
      const ReduceTask& task = arguments.task;
      const ReduceExtents& extents = task.extents;
      const int thread = static_cast<int>(group.thread_rank());
      const int at_once = threads / arguments.lanes;
      const int mine = arguments.lanes_are_neighbours ? thread / arguments.lanes : thread % at_once;
      const int lane = arguments.lanes_are_neighbours ? thread % arguments.lanes : thread / at_once;
      const int64_t results = extents.outer * extents.inner;
      const int64_t blocks = (results + at_once - 1) / at_once;
      for (int64_t item = isa::block_index().x; item < blocks * extents.segments;
           item += isa::grid_size().x) {
        const int64_t segment = item / blocks;
        const int64_t result = (item - segment * blocks) * at_once + mine;
        const bool has = result < results;
        const int64_t o = has ? result / extents.inner : 0;
        const int64_t i = has ? result - o * extents.inner : 0;
        Best best = start(task.step);
        if (has) {
          const int64_t begin = segment * extents.segment;
          const int64_t end =
              extents.reduced - begin < extents.segment ? extents.reduced : begin + extents.segment;
          take_all(arguments, o * extents.x_outer + i * extents.x_inner, begin + lane, end, best);
        }
        WARPLINE_NO_UNROLL
        for (int upper = arguments.lanes / 2; upper > 0; upper /= 2) {
          if (lane >= upper && lane < 2 * upper) {
            isa::store_shared(shared.value[lane * at_once + mine], best.value);
            isa::store_shared(shared.index[lane * at_once + mine], best.index);
          }
          group.sync();
          if (lane < upper) {
            const int at = (lane + upper) * at_once + mine;
            best =
                combine(task.step, best,
                        {isa::load_shared(shared.value[at]), isa::load_shared(shared.index[at])});
          }
        }
        if (has && lane == 0) {
          store(task, o, segment, i, best);
        }
      }
    });
  }

 private:
  static WARPLINE_DEVICE Best start(ReduceStep step) {
    using namespace reduce_ops_detail;  // NOLINT(google-build-using-namespace): function scope
    const Value value = step == ReduceStep::minimum ? limit<Value, false>()
                        : step == ReduceStep::sum || step == ReduceStep::norm
                            ? Value(0)
                            : limit<Value, true>();
    return {value, INT64_MAX};
  }

  static WARPLINE_DEVICE Best combine(ReduceStep step, Best a, Best b) {
    switch (step) {
      case ReduceStep::sum:
      case ReduceStep::norm:
        return {reduce_ops_detail::sum_of(a.value, b.value), 0};
      case ReduceStep::minimum:
        return {ReduceMin<Value>::combine(a.value, b.value), 0};
      case ReduceStep::maximum:
        return {ReduceMax<Value>::combine(a.value, b.value), 0};
      case ReduceStep::argmax:
        break;
    }
    return comes_first(argmax_key(b.value), b.index, argmax_key(a.value), a.index) ? b : a;
  }

  template <class T>
  static WARPLINE_DEVICE Best element(ReduceStep step, T value, int64_t k) {
    if constexpr (sizeof(T) == sizeof(ArgmaxPartial)) {
      return {value.key, value.index};
    } else {
      const Value real = reduce_ops_detail::value_of(value);
      return {step == ReduceStep::norm ? real * real : real, k};
    }
  }

  template <class T>
  static WARPLINE_DEVICE void take_as(const Arguments& arguments, int64_t at, int64_t begin,
                                      int64_t end, Best& best) {
    const ReduceStep step = arguments.task.step;
    const int64_t stride = arguments.task.extents.x_reduced;
    const T* x = static_cast<const T*>(arguments.task.x) + at;
    constexpr int ahead = sizeof(T) > 4 ? 2 : 8;
    int64_t k = begin;
    for (; k + (ahead - 1) * arguments.lanes < end; k += ahead * arguments.lanes) {
      T values[ahead];
      WARPLINE_UNROLL
      for (int a = 0; a < ahead; ++a) {
        values[a] = isa::load_global(x + (k + a * arguments.lanes) * stride);
      }
      WARPLINE_UNROLL
      for (int a = 0; a < ahead; ++a) {
        best = combine(step, best, element(step, values[a], k + a * arguments.lanes));
      }
    }
    for (; k < end; k += arguments.lanes) {
      best = combine(step, best, element(step, isa::load_global(x + k * stride), k));
    }
  }

  static WARPLINE_DEVICE void take_all(const Arguments& arguments, int64_t at, int64_t begin,
                                       int64_t end, Best& best) {
    if constexpr (integers) {
      if (arguments.task.pairs) {
        take_as<ArgmaxPartial>(arguments, at, begin, end, best);
      } else {
        take_as<int32_t>(arguments, at, begin, end, best);
      }
    } else if (arguments.task.type == ElementType::fp32) {
      take_as<float>(arguments, at, begin, end, best);
    } else if (arguments.task.type == ElementType::fp16) {
      take_as<__half>(arguments, at, begin, end, best);
    } else {
      take_as<__nv_bfloat16>(arguments, at, begin, end, best);
    }
  }

  static WARPLINE_DEVICE void store(const ReduceTask& task, int64_t o, int64_t segment, int64_t i,
                                    const Best& best) {
    if (task.step == ReduceStep::argmax) {
      store_reduced(task.out, task.out_type, false, task.extents, o, segment, i,
                    ArgmaxPartial{best.index, argmax_key(best.value), 0});
    } else {
      store_reduced(task.out, task.out_type, task.root, task.extents, o, segment, i, best.value);
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
