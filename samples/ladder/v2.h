// v2: a ring of stages, filled ahead by the same warps: loads and multiplies overlap.
//
//   role     warps   does
//   worker   0-3     thread 0 fills all stages before the loop, waits for each and refills it after
//                    its multiply; all multiply
//
//   barrier         arrivals                         completed by
//   loaded[stage]   1, and the bytes of both tiles   the copy engine
//
//   shared memory   stages x (A tile, B tile), one barrier for each
//
// Both hand-overs are block-wide: __syncthreads() tells all that thread 0 has seen a stage full,
// and tells thread 0 that all have done with it. Each holds up everybody.
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/copy.h"
#include "warpline/isa/wait.h"
#include "warpline/ring_position.h"
#include "warpline/thread_group.h"

namespace ladder::inline WARPLINE_TARGET {

template <LadderConfig Config>
struct V2 {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 4, .multiplies = true};
  };
  using Roles = RoleList<Worker>;
  using Arguments = Operands<Config>;
  struct Stage {
    typename Arguments::ATile a;
    typename Arguments::BTile b;
  };
  struct SharedMemory {
    Stage stage[Config.stages];
    isa::Mbarrier loaded[Config.stages];
  };
  static_assert(FitsSharedMemory<static_cast<int>(sizeof(SharedMemory))>::value);
  static constexpr LaunchConfig launch{
      .name = "ladder_v2",
      .min_ctas_per_sm = sizeof(SharedMemory) * 2 <= max_shared_bytes_per_cta ? 2 : 1};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = args.tile().m * Config.block_m;
    const int n = args.tile().n * Config.block_n;
    if (isa::thread_index() == 0) {
      for (isa::Mbarrier& barrier : shared.loaded) {
        isa::mbarrier_init(barrier, 1);
      }
      isa::fence_mbarrier_init();
    }
    const auto fill = [&](int tile, int stage) {
      if (isa::thread_index() == 0 && tile < args.k_tiles) {
        Stage& to = shared.stage[stage];
        isa::Mbarrier& loaded = shared.loaded[stage];
        isa::mbarrier_arrive_expect_tx(loaded, to.a.bytes + to.b.bytes);
        load_tile(to.a, args.a, {.row = m, .column = tile * Config.block_k}, loaded);
        load_tile(to.b, args.b, {.row = n, .column = tile * Config.block_k}, loaded);
      }
    };

    for (int stage = 0; stage < Config.stages; ++stage) {
      fill(stage, stage);
    }
    Accumulator<Config.block_m, Config.block_n> sum;
    RingPosition<Config.stages> at{.parity = following_initial_parity};
    for (int tile = 0; tile < args.k_tiles; ++tile) {
      if (isa::thread_index() == 0) {
        isa::wait(shared.loaded[at.stage], at.parity,
                  {.role = "worker", .barrier = "loaded", .stage = at.stage});
      }
      isa::syncthreads();
      mma(sum, shared.stage[at.stage].a, shared.stage[at.stage].b).wait();
      isa::syncthreads();
      fill(tile + Config.stages, at.stage);
      at.advance();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
