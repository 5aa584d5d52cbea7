// A kernel with nothing but a Pipeline in it: one producer warp, some consumer warps.
#pragma once

#include "tests/warpline/tile_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct SumConfig {
  int stages = 3;
  Release release = Release::per_warp;
  int producer_warps = 1;
  int consumer_warps = 4;
  bool unrolled = false;
};

template <int Warps>
struct SumProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = Warps};
};
template <int Warps>
struct SumConsumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = Warps};
};

/// out[tile][element] = sum over k of (k + 1) * input[tile][k][element], one CTA for all tiles.
template <SumConfig Config>
struct SumKernel {
  struct Stage {
    SumTile tile;
  };
  using Producer = SumProducer<Config.producer_warps>;
  using Consumer = SumConsumer<Config.consumer_warps>;
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .release = Config.release},
                        FilledByCopies<Producer>, ReadByThreads<Consumer>>;
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "sum"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          int row = 0;
          const auto fill = [&](auto& slot) {
            slot.load(slot->tile, arguments.input, {.row = row, .column = 0});
            row += SumTile::rows;
          };
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            if constexpr (Config.unrolled) {
              end.fill(arguments.k_tiles, fill);
            } else {
              for (auto slot : end.fill(arguments.k_tiles)) {
                fill(slot);
              }
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            const auto add = [&](auto& slot) {
              sums.add(++k, [&](int row, int column) { return slot->tile.load(row, column); });
            };
            if constexpr (Config.unrolled) {
              end.read(arguments.k_tiles, add);
            } else {
              for (auto slot : end.read(arguments.k_tiles)) {
                add(slot);
              }
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        });
  }
};

template <SumConfig Config>
void check_sums(int tiles, int k_tiles, int seeds) {
  INFO("stages " << Config.stages << ", release " << static_cast<int>(Config.release)
                 << ", unrolled " << Config.unrolled);
  check_sums_of<SumKernel<Config>>(tiles, k_tiles, seeds, weighted);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
