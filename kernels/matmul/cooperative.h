// C[M,N] = A[M,K] * B[N,K]^T, persistent and cooperative: two consumer warpgroups share a tile of
// 128 rows, clusters of two CTAs share the columns of B, and a tile's stores overlap the next
// tile's loads and multiplies.
//
//   role       warps   registers   does
//   consumer   0-7     240         64 rows per warpgroup: multiplies, keeping one multiply in
//                                  flight; rounds, stmatrix, TMA stores
//   producer   8-11    24          one thread loads A for its own CTA and half of B for both
//
//   barrier        arrivals                             completed by
//   full[stage]    1, and the bytes of both tiles       the copy engines of both CTAs
//   empty[stage]   8 warps of each CTA of the cluster   the consumers, after the wait for the next
//                                                       multiply
//
//   shared memory   stages x (A 128 x block_k, B block_n x block_k); 2 x 2 store buffers of 64 x 64
#pragma once

#include <cuda_fp16.h>

#include "matmul/loop_form.h"
#include "warpline/deferred_release.h"
#include "warpline/launch.h"
#include "warpline/mma.h"
#include "warpline/pipeline.h"
#include "warpline/store_ring.h"
#include "warpline/tensor_map.h"
#include "warpline/tile_order.h"
#include "warpline/tile_store.h"

namespace warpline::inline WARPLINE_TARGET {

struct CooperativeConfig {
  int stages = 4;
  int block_n = 256;
  int block_k = 64;
  /// CTAs along M that share B by multicast: 1 or 2.
  int cluster_m = 2;
  LoopForm loop = LoopForm::range;
};

template <CooperativeConfig Config>
struct CooperativeMatmul {
  static constexpr int block_m = 128;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;

  using ATile = SharedTile<__half, block_m, block_k>;
  using BTile = Multicast<SharedTile<__half, block_n, block_k>, ClusterAxis::x, Config.cluster_m>;
  using CTile = SharedTile<__half, 64, 64>;
  struct Stage {
    ATile a;
    BTile b;
  };

  struct Consumer {
    static constexpr RoleConfig config{
        .name = "consumer", .warps = 8, .registers = 240, .multiplies = true};
  };
  struct Producer {
    static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
  };
  using Roles = RoleList<Consumer, Producer>;
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = Config.stages, .cluster = {Config.cluster_m, 1}},
               FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;

  static constexpr LaunchConfig launch{
      .name = "cooperative_matmul", .registers = 168, .cluster = {Config.cluster_m, 1}};

  struct Arguments {
    TensorMap<ATile> a;
    TensorMap<BTile> b;
    TensorMap<CTile> c;
    /// Tiles of a whole cluster: cluster_m x 1 tiles of one CTA.
    GroupedRaster order;
    int k_tiles;
  };

  struct SharedMemory {
    typename Ring::Storage ring;
    CTile out[2][2];
  };
  static_assert(FitsAccumulators<64 * block_n / 128>::value);

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    const int cluster = static_cast<int>(isa::block_index().x) / Config.cluster_m;
    const int clusters = static_cast<int>(isa::grid_size().x) / Config.cluster_m;
    const int rank = static_cast<int>(isa::cluster_cta_rank());
    const auto row_of = [&](TileIndex tile) {
      return (tile.m * Config.cluster_m + rank) * block_m;
    };

    Ring ring(shared.ring);
    dispatch<Roles, launch.registers>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          if (group.warp_rank() != 0) {
            return;
          }
          auto end = ring.producer(group);
          for (int index = cluster; index < arguments.order.count(); index += clusters) {
            const TileIndex tile = arguments.order.at(index);
            int k = 0;
            for (auto slot : end.fill(arguments.k_tiles)) {
              slot.load(slot->a, arguments.a, {.row = row_of(tile), .column = k});
              slot.load(slot->b, arguments.b, {.row = tile.n * block_n, .column = k});
              k += block_k;
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          const auto warpgroup = group.warpgroup();
          const int share = static_cast<int>(group.warpgroup_rank());
          auto end = ring.consumer(group);
          StoreRing out(shared.out[share], warpgroup);
          Accumulator<64, block_n> accumulator;
          for (int index = cluster; index < arguments.order.count(); index += clusters) {
            const TileIndex tile = arguments.order.at(index);
            accumulator.clear();
            DeferredRelease deferred(end);
            const auto multiply = [&](auto& slot) {
              deferred.push(slot,
                            mma(accumulator, slot->a.template row_slice<64>(share * 64), slot->b));
            };
            if constexpr (Config.loop == LoopForm::unrolled) {
              end.read(arguments.k_tiles, multiply);
            } else {
              for (auto slot : end.read(arguments.k_tiles)) {
                multiply(slot);
              }
            }
            deferred.flush(accumulator);
            static_for<0, block_n / 64>([&](auto piece) {
              constexpr int column = decltype(piece)::value * 64;
              CTile& buffer = out.acquire();
              write_tile<column>(buffer, accumulator, warpgroup.thread_rank());
              out.store(arguments.c,
                        {.row = row_of(tile) + share * 64, .column = tile.n * block_n + column});
            });
          }
        });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
