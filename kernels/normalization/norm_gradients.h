// The last kernel of a norm's backward pass: sums over CTAs, of what each has left in the
// workspace, to dweight and dbias. Both at once, since its start takes longer than its work.
//
//   role       warps   does
//   consumer   0-15    `parts` threads share a column, each adds up every parts-th row of the
//                      workspace; one of them adds up what they have, and stores it
//
//   shared memory   what each thread has
#pragma once

#include "normalization/norm_gradients_line.h"
#include "rows/typed_view.h"
#include "warpline/isa/dependent_launch.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

struct NormGradientsKernel {
  static constexpr int threads = norm_gradients_threads;
  /// Loads that a thread has on their way.
  static constexpr int loads = 8;

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = threads / threads_per_warp};
  };
  using Roles = RoleList<Consumer>;
  static constexpr LaunchConfig launch{.name = "norm_gradients", .min_ctas_per_sm = 4};

  using Arguments = NormGradients;
  struct SharedMemory {
    float sum[threads];
  };

  /// A CTA has threads / parts columns of gradient block_index().y.
  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    isa::wait_for_predecessors();
    isa::let_successors_start();
    dispatch<Roles>([&](const ThreadGroup<Roles, Consumer>& group) {
      const int thread = static_cast<int>(group.thread_rank());
      const int columns = threads / arguments.parts;
      const int part = thread / columns;
      const int64_t column = int64_t{isa::block_index().x} * columns + thread % columns;
      const bool second = isa::block_index().y != 0;
      const NormGradient& gradient = arguments.gradient[second ? 1 : 0];
      const bool has = column < arguments.columns;
      const float sum = has ? sum_of(arguments, gradient.partial + column, part) : 0;
      isa::store_shared(shared.sum[thread], sum);
      group.sync();
      if (has && part == 0) {
        float total = sum;
        for (int other = thread + columns; other < threads; other += columns) {
          total += isa::load_shared(shared.sum[other]);
        }
        typed_detail::with_type(gradient.type, [&](auto type) {
          using T = typename decltype(type)::Type;
          isa::store_global(static_cast<T*>(gradient.data) + column, from_float<T>(total));
        });
      }
    });
  }

 private:
  static WARPLINE_DEVICE float sum_of(const Arguments& arguments, const float* column, int part) {
    const int step = arguments.parts;
    float sum = 0;
    int row = part;
    for (; row + (loads - 1) * step < arguments.rows; row += loads * step) {
      float values[loads];
      WARPLINE_UNROLL
      for (int i = 0; i < loads; ++i) {
        values[i] = isa::load_global(column + int64_t{row + i * step} * arguments.columns);
      }
      WARPLINE_UNROLL
      for (const float value : values) {
        sum += value;
      }
    }
    WARPLINE_NO_UNROLL
    for (; row < arguments.rows; row += step) {
      sum += isa::load_global(column + int64_t{row} * arguments.columns);
    }
    return sum;
  }
};

inline void prepare_norm_gradients(const NormGradients& gradients) {
  for (int i = 0; i < gradients.count; ++i) {
    isa::require_output_pointer(gradients.gradient[i].data, "a gradient");
  }
  prepare<NormGradientsKernel>();
}

inline void launch_norm_gradients(const Place& place, const NormGradients& gradients) {
#if WARPLINE_ON_GPU
  const Stream stream = place.stream();
#else
  const Stream stream{.options = place.options()};
#endif
  const int columns = norm_gradients_threads / gradients.parts;
  const auto ctas = static_cast<unsigned>((gradients.columns + columns - 1) / columns);
  // It waits before it touches memory: what begins earlier is its start alone.
  warpline::launch<NormGradientsKernel>(stream, {ctas, static_cast<unsigned>(gradients.count), 1},
                                        gradients, {.dependent = true});
}

}  // namespace warpline::inline WARPLINE_TARGET
