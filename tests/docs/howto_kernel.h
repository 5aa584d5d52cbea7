// The kernel of docs/howto-kernel.md, which quotes what stands between the [markers]
// (tests/build/check_docs.py compares).
#pragma once

#include <cstdint>

// [includes]
#include "warpline/launch.h"           // LaunchConfig, launch, synchronize
#include "warpline/make_tensor_map.h"  // host only
#include "warpline/pipeline.h"
#include "warpline/store_ring.h"
// [includes]

// [namespace]
namespace example::inline WARPLINE_TARGET {
// [namespace]

using namespace warpline;  // NOLINT(google-build-using-namespace): as users have it

/// y = alpha * x + y
struct ScaledAdd {
  // [tiles]
  using Tile = SharedTile<float, 64, 32>;  // 64 rows of 128 bytes: 8192 bytes, 128-byte swizzle
  struct Stage {
    Tile x;
    Tile y;
  };
  // [tiles]

  // [roles]
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 4};
  };
  struct Loader {
    static constexpr RoleConfig config{.name = "loader", .warps = 1};
  };
  using Roles = RoleList<Worker, Loader>;
  // [roles]

  // [ring]
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = 3}, FilledByCopies<Loader>, ReadByThreads<Worker>>;
  // [ring]

  // [memory]
  struct Arguments {
    TensorMap<Tile> x;
    TensorMap<Tile> y;
    float alpha;
    int row_tiles;
    int column_tiles;
  };
  struct SharedMemory {
    Ring::Storage ring;
    Tile out[2];
  };
  static constexpr LaunchConfig launch{.name = "scaled_add", .min_ctas_per_sm = 2};
  // [memory]

  // [body]
  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    // This CTA's tiles: first, first + step, ...
    const int first = static_cast<int>(isa::block_index().x);
    const int step = static_cast<int>(isa::grid_size().x);
    const int count = (args.row_tiles * args.column_tiles - first + step - 1) / step;
    const auto place = [&](int i) {
      const int tile = first + i * step;
      return Coordinate{.row = tile / args.column_tiles * Tile::rows,
                        .column = tile % args.column_tiles * Tile::columns};
    };

    Ring ring(shared.ring);  // all threads of the CTA
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          int i = 0;
          for (auto slot : end.fill(count)) {
            slot.load(slot->x, args.x, place(i));
            slot.load(slot->y, args.y, place(i));
            ++i;
          }
        },
        [&](const ThreadGroup<Roles, Worker>& group) {
          auto end = ring.consumer(group);
          StoreRing out(shared.out, group);
          int i = 0;
          for (auto slot : end.read(count)) {
            auto& result = out.acquire();
            const int column = static_cast<int>(group.thread_rank() % Tile::columns);
            for (int row = static_cast<int>(group.warp_rank()); row < Tile::rows;
                 row += Worker::config.warps) {
              const float x = slot->x.load(row, column);
              result.store(row, column, args.alpha * x + slot->y.load(row, column));
            }
            slot.release();
            out.store(args.y, place(i));
            ++i;
          }
        });
  }
  // [body]
};

// [host]
inline void scaled_add(const Stream& stream, float alpha, const MatrixView<const float>& x,
                       const MatrixView<float>& y, uint32_t max_ctas) {
  if (x.rows != y.rows || x.columns != y.columns) {
    throw Error("x and y: their shapes differ");
  }
  using Tile = ScaledAdd::Tile;
  const auto tiles = [](int64_t extent, int tile) {
    return static_cast<int>((extent + tile - 1) / tile);
  };
  const ScaledAdd::Arguments args{.x = make_tensor_map<Tile>(x, "x"),
                                  .y = make_tensor_map<Tile>(y, "y", MapUse::store),
                                  .alpha = alpha,
                                  .row_tiles = tiles(x.rows, Tile::rows),
                                  .column_tiles = tiles(x.columns, Tile::columns)};
  const auto all = static_cast<uint32_t>(args.row_tiles * args.column_tiles);
  launch<ScaledAdd>(stream, {all < max_ctas ? all : max_ctas, 1, 1}, args);
}
// [host]

}  // namespace example::inline WARPLINE_TARGET
