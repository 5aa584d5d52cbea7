// C[M,N] = A[M,K] * B[N,K]^T, warp-specialised: one output tile per CTA, one producer warp, one
// consumer warpgroup.
//
//   role       warps   does
//   consumer   0-3     waits for full, multiplies (wgmma), frees the stage; then rounds and stores
//   producer   4       waits for empty; one thread announces the bytes and issues both loads
//
//   barrier        arrivals                         completed by
//   full[stage]    1, and the bytes of both tiles   the copy engine
//   empty[stage]   128, 4 or 1 (Config.release)     the consumer, after the wait for its multiply
//
//   shared memory   stages x (A tile block_m x block_k, B tile block_n x block_k), 2 x stages
//                   barriers
//
// The consumer comes first: wgmma needs four consecutive warps that start at a multiple of four.
#pragma once

#include <cuda_fp16.h>

#include "matmul/warp_specialized_plan.h"
#include "warpline/epilogue.h"
#include "warpline/launch.h"
#include "warpline/mma.h"
#include "warpline/pipeline.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

template <WarpSpecializedConfig Config>
struct WarpSpecializedMatmul {
  static constexpr WarpSpecializedPlan plan = plan_warp_specialized(Config);
  static_assert(FitsAccumulators<plan.accumulator_registers>::value);
  static_assert(FitsSharedMemory<plan.shared_bytes>::value);

  using ATile = SharedTile<__half, Config.block_m, Config.block_k>;
  using BTile = SharedTile<__half, Config.block_n, Config.block_k>;
  struct Stage {
    ATile a;
    BTile b;
  };

  struct Consumer {
    static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 1};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .release = Config.release},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;

  static constexpr LaunchConfig launch{.name = "warp_specialized_matmul",
                                       .min_ctas_per_sm = plan.ctas_per_sm};

  struct Arguments {
    TensorMap<ATile> a;
    TensorMap<BTile> b;
    MatrixView<__half> c;
    int64_t k;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static_assert(sizeof(SharedMemory) == plan.shared_bytes,
                "the plan's arithmetic has left the kernel's layout");

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    MatrixView<__half> c = arguments.c;
    if constexpr (Config.static_n != 0) {
      c.columns = Config.static_n;
    }
    const int64_t k = Config.static_k != 0 ? Config.static_k : arguments.k;
    const int k_tiles = static_cast<int>((k + Config.block_k - 1) / Config.block_k);
    const int m_begin = static_cast<int>(isa::block_index().x) * Config.block_m;
    const int n_begin = static_cast<int>(isa::block_index().y) * Config.block_n;

    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          int k_begin = 0;
          const auto fill = [&](auto& slot) {
            slot.load(slot->a, arguments.a, {.row = m_begin, .column = k_begin});
            slot.load(slot->b, arguments.b, {.row = n_begin, .column = k_begin});
            k_begin += Config.block_k;
          };
          if constexpr (Config.loop == LoopForm::unrolled) {
            end.fill(k_tiles, fill);
          } else {
            for (auto slot : end.fill(k_tiles)) {
              fill(slot);
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<Config.block_m, Config.block_n> accumulator;
          const auto multiply = [&](auto& slot) {
            const auto done = mma(accumulator, slot->a, slot->b);
            slot.release_after(done);
          };
          if constexpr (Config.loop == LoopForm::unrolled) {
            end.read(k_tiles, multiply);
          } else {
            for (auto slot : end.read(k_tiles)) {
              multiply(slot);
            }
          }
          store(accumulator, c, m_begin, n_begin, group.thread_rank());
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
