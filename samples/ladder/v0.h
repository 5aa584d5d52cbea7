// v0: TMA loads, ordinary tensor-core instructions.
//
//   role     warps   does
//   worker   0-3     thread 0 loads a tile of A and one of B; all wait; each warp multiplies its
//                    64 x 64 of C
//
//   barrier   arrivals                         completed by
//   loaded    1, and the bytes of both tiles   the copy engine
//
//   shared memory   one A tile, one B tile, one barrier
//
// One stage: while the copy engine loads, nobody multiplies, and the other way round.
#pragma once

#include "samples/ladder/problem.h"
#include "warpline/copy.h"
#include "warpline/isa/ldmatrix.h"
#include "warpline/isa/mma_sync.h"
#include "warpline/isa/wait.h"
#include "warpline/thread_group.h"

namespace ladder::inline WARPLINE_TARGET {

template <LadderConfig Config>
struct V0 {
  static_assert(Config.block_m == 128 && Config.block_n == 128, "four warps of 64 x 64");
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 4};
  };
  using Roles = RoleList<Worker>;
  using Arguments = Operands<Config>;
  struct SharedMemory {
    typename Arguments::ATile a;
    typename Arguments::BTile b;
    isa::Mbarrier loaded;
  };
  static constexpr LaunchConfig launch{.name = "ladder_v0"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const int m = args.tile().m * Config.block_m;
    const int n = args.tile().n * Config.block_n;
    const int warp = static_cast<int>(isa::warp_index());
    const int lane = static_cast<int>(isa::lane_index());
    const int warp_m = warp / 2 * 64;
    const int warp_n = warp % 2 * 64;
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.loaded, 1);
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();

    float sums[4][8][4] = {};
    uint32_t parity = 0;
    for (int tile = 0; tile < args.k_tiles; ++tile) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_arrive_expect_tx(shared.loaded, shared.a.bytes + shared.b.bytes);
        load_tile(shared.a, args.a, {.row = m, .column = tile * Config.block_k}, shared.loaded);
        load_tile(shared.b, args.b, {.row = n, .column = tile * Config.block_k}, shared.loaded);
      }
      isa::wait(shared.loaded, parity, {.role = "worker", .barrier = "loaded", .stage = 0});
      parity ^= 1;
      WARPLINE_UNROLL
      for (int k = 0; k < Config.block_k; k += 16) {
        uint32_t a[4][4];
        uint32_t b[4][4];
        WARPLINE_UNROLL
        for (int i = 0; i < 4; ++i) {
          isa::ldmatrix(shared.a.chunk(warp_m + i * 16 + lane % 16, k + lane / 16 * 8), a[i]);
          isa::ldmatrix(
              shared.b.chunk(warp_n + i * 16 + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8),
              b[i]);
        }
        WARPLINE_UNROLL
        for (int i = 0; i < 4; ++i) {
          WARPLINE_UNROLL
          for (int j = 0; j < 8; ++j) {
            const uint32_t pair[2] = {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]};
            isa::mma_sync<__half>(sums[i][j], a[i], pair);
          }
        }
      }
      // The copy engine writes here next: ordinary reads must be ordered before it.
      isa::fence_proxy_async_shared();
      isa::syncthreads();
    }

    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      WARPLINE_UNROLL
      for (int j = 0; j < 8; ++j) {
        WARPLINE_UNROLL
        for (int e = 0; e < 4; ++e) {
          const int64_t row = m + warp_m + i * 16 + e / 2 * 8 + lane / 4;
          const int64_t column = n + warp_n + j * 8 + lane % 4 * 2 + e % 2;
          if (row < args.c.rows && column < args.c.columns) {
            isa::store_global(args.c.data + row * args.c.stride + column,
                              __float2half_rn(sums[i][j][e]));
          }
        }
      }
    }
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
