// v1: WGMMA, one stage: load, wait, multiply, wait.
//
//   role     warps   does
//   worker   0-3     thread 0 loads a tile of A and one of B; all wait, multiply together, wait
//   again
//
//   barrier   arrivals                        completed by
//   loaded    1, and the bytes of both tiles  the copy engine
//
//   shared memory   one A tile, one B tile, one barrier
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/copy.h"
#include "warpline/isa/wait.h"
#include "warpline/thread_group.h"

namespace ladder::inline WARPLINE_TARGET {

template <LadderConfig Config>
struct V1 {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 4, .multiplies = true};
  };
  using Roles = RoleList<Worker>;
  using Arguments = Operands<Config>;
  struct SharedMemory {
    typename Arguments::ATile a;
    typename Arguments::BTile b;
    isa::Mbarrier loaded;
  };
  static constexpr LaunchConfig launch{.name = "ladder_v1", .min_ctas_per_sm = 2};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = args.tile().m * Config.block_m;
    const int n = args.tile().n * Config.block_n;
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.loaded, 1);
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();

    Accumulator<Config.block_m, Config.block_n> sum;
    uint32_t parity = 0;
    for (int tile = 0; tile < args.k_tiles; ++tile) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_arrive_expect_tx(shared.loaded, shared.a.bytes + shared.b.bytes);
        load_tile(shared.a, args.a, {.row = m, .column = tile * Config.block_k}, shared.loaded);
        load_tile(shared.b, args.b, {.row = n, .column = tile * Config.block_k}, shared.loaded);
      }
      isa::wait(shared.loaded, parity, {.role = "worker", .barrier = "loaded", .stage = 0});
      parity ^= 1;
      mma(sum, shared.a, shared.b).wait();
      isa::syncthreads();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
