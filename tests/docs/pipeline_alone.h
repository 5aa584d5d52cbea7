// A Pipeline in a kernel of one's own, quoted by docs/howto-kernel.md.
#pragma once

#include <cstdint>

// [kernel]
#include "warpline/pipeline.h"
#include "warpline/trace.h"

namespace example::inline WARPLINE_TARGET {

struct Sum {
  static constexpr int block = 1024;
  struct Stage {
    warpline::SharedArray<float, block> values;
  };
  struct Adder {
    static constexpr warpline::RoleConfig config{.name = "adder", .warps = 4};
  };
  struct Loader {
    static constexpr warpline::RoleConfig config{.name = "loader", .warps = 1};
  };
  using Roles = warpline::RoleList<Adder, Loader>;
  using Ring = warpline::Pipeline<Stage, warpline::PipelineConfig{.stages = 4},
                                  warpline::FilledByCopies<Loader>, warpline::ReadByThreads<Adder>>;

  /// sums[t] = the sum of thread t's share of `blocks` blocks.
  static WARPLINE_DEVICE void run(Ring::Storage& storage, const float* data, int blocks,
                                  float* sums) {
    Ring ring(storage);
    warpline::dispatch<Roles>(
        [&](const warpline::ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          for (auto slot : end.fill(blocks)) {
            slot.load(slot->values, data);
            data += block;
          }
        },
        [&](const warpline::ThreadGroup<Roles, Adder>& group) {
          auto end = ring.consumer(group);
          float sum = 0;
          for (auto slot : end.read(blocks)) {
            for (int i = static_cast<int>(group.thread_rank()); i < block; i += group.threads) {
              sum += slot->values.load(i);
            }
          }
          warpline::isa::store_global(sums + group.thread_rank(), sum);
        });
  }
};

#if WARPLINE_ON_GPU
__global__ void __launch_bounds__(Sum::Roles::threads)
    sum_kernel(const float* data, int blocks, float* sums) {
  warpline::untraced_kernel();
  __shared__ Sum::Ring::Storage storage;
  Sum::run(storage, data, blocks, sums);
}
#endif

}  // namespace example::inline WARPLINE_TARGET
// [kernel]
