// A kernel with nothing but a Pipeline in it: tiles go by, threads add them up with weights that
// tell the order.
#pragma once

#include <vector>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct SumConfig {
  int stages = 3;
  Release release = Release::per_warp;
  int consumer_warps = 4;
  bool unrolled = false;
};

struct SumProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
template <int Warps>
struct SumConsumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = Warps};
};

/// out[tile][element] = sum over k of (k + 1) * input[tile][k][element], one CTA for all tiles.
template <SumConfig Config>
struct SumKernel {
  using Tile = SharedTile<int32_t, 8, 32>;
  static constexpr int elements = Tile::rows * Tile::columns;
  struct Stage {
    Tile tile;
  };
  using Producer = SumProducer;
  using Consumer = SumConsumer<Config.consumer_warps>;
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .release = Config.release},
                        FilledByCopies<Producer>, ReadByThreads<Consumer>>;
  struct Arguments {
    TensorMap<Tile> input;
    int32_t* out;
    int tiles;
    int k_tiles;
  };
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
            row += Tile::rows;
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
          constexpr int step = ThreadGroup<Roles, Consumer>::threads;
          constexpr int per_thread = (elements + step - 1) / step;
          const int rank = static_cast<int>(group.thread_rank());
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int32_t sums[per_thread] = {};
            int k = 0;
            const auto add = [&](auto& slot) {
              ++k;
              WARPLINE_UNROLL
              for (int i = 0; i < per_thread; ++i) {
                const int e = rank + i * step;
                if (e < elements) {
                  sums[i] += k * slot->tile.load(e / Tile::columns, e % Tile::columns);
                }
              }
            };
            if constexpr (Config.unrolled) {
              end.read(arguments.k_tiles, add);
            } else {
              for (auto slot : end.read(arguments.k_tiles)) {
                add(slot);
              }
            }
            WARPLINE_UNROLL
            for (int i = 0; i < per_thread; ++i) {
              const int e = rank + i * step;
              if (e < elements) {
                isa::store_global(arguments.out + tile * elements + e, sums[i]);
              }
            }
          }
        });
  }
};

inline int32_t sum_input(int index) { return (index * 37 + index / 256 * 11) % 1009 - 500; }

/// Runs the kernel on every schedule and compares with the sums made here.
template <SumConfig Config>
void check_sums(int tiles, int k_tiles, int seeds) {
  using Kernel = SumKernel<Config>;
  using Tile = typename Kernel::Tile;
  const int rows = tiles * k_tiles * Tile::rows;
  std::vector<int32_t> input(static_cast<std::size_t>(rows > 0 ? rows : 1) * Tile::columns);
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = sum_input(static_cast<int>(i));
  }
  std::vector<int32_t> expected(static_cast<std::size_t>(tiles) * Kernel::elements);
  for (int tile = 0; tile < tiles; ++tile) {
    for (int k = 0; k < k_tiles; ++k) {
      for (int e = 0; e < Kernel::elements; ++e) {
        expected[static_cast<std::size_t>(tile * Kernel::elements + e)] +=
            (k + 1) * sum_input((tile * k_tiles + k) * Kernel::elements + e);
      }
    }
  }
  const DeviceArray<int32_t> device_input(input);
  DeviceArray<int32_t> device_out(expected);
  const typename Kernel::Arguments arguments{
      .input = make_tensor_map<Tile>(MatrixView<int32_t>{device_input.data(), rows > 0 ? rows : 1,
                                                         Tile::columns, Tile::columns},
                                     "input"),
      .out = device_out.data(),
      .tiles = tiles,
      .k_tiles = k_tiles};
  INFO("stages " << Config.stages << ", tiles " << tiles << ", k tiles " << k_tiles << ", unrolled "
                 << Config.unrolled);
  on_every_schedule(seeds, [&](const Stream& stream) {
    device_out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(device_out.values() == expected);
  });
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
