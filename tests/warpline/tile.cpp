// Where a tile's elements are: what threads find at (row, column) is what the copy engine put
// there, and the other way round, for every swizzle, and for tiles of several boxes.
#include <cuda_fp16.h>

#include <type_traits>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"
#include "warpline/store_ring.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("what a tile's type says of its layout") {
  using Wide = SharedTile<__half, 128, 128>;
  STATIC_REQUIRE(Wide::swizzle == Swizzle::span_128);
  STATIC_REQUIRE(Wide::span_columns == 64);
  STATIC_REQUIRE(Wide::slabs == 2);
  STATIC_REQUIRE(Wide::slab_bytes == 128 * 128);
  STATIC_REQUIRE(Wide::bytes == 128 * 128 * 2);
  STATIC_REQUIRE(alignof(Wide) == 1024);
  STATIC_REQUIRE(SharedTile<__half, 8, 32>::alignment == 512);
  STATIC_REQUIRE(SharedTile<__half, 8, 16>::alignment == 256);
  STATIC_REQUIRE(SharedTile<__half, 8, 8>::alignment == 128);
  STATIC_REQUIRE(SharedTile<__half, 8, 8>::swizzle == Swizzle::none);
  STATIC_REQUIRE(SharedTile<__half, 8, 48>::swizzle == Swizzle::span_32);
  STATIC_REQUIRE(SharedTile<float, 8, 32>::swizzle == Swizzle::span_128);
  using Tall = SharedTile<__half, 512, 64>;
  STATIC_REQUIRE(Tall::boxes_per_slab == 2);
  STATIC_REQUIRE(Tall::box_rows == 256);
}

TEST_CASE("the 128-byte swizzle, by hand") {
  using Tile = SharedTile<__half, 16, 64>;
  // 16-byte chunk c of row r is at chunk c ^ (r % 8) of the row.
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 64; ++column) {
      const int chunk = (column / 8) ^ (row % 8);
      REQUIRE(Tile::offset(row, column) ==
              static_cast<std::uint32_t>(row * 128 + chunk * 16 + column % 8 * 2));
    }
  }
}

template <class Tile>
constexpr bool has_all_offsets() {
  using T = typename Tile::Element;
  bool seen[Tile::rows * Tile::columns] = {};
  for (int row = 0; row < Tile::rows; ++row) {
    for (int column = 0; column < Tile::columns; ++column) {
      const std::uint32_t offset = Tile::offset(row, column);
      if (offset % sizeof(T) != 0 || offset >= Tile::bytes || seen[offset / sizeof(T)]) {
        return false;
      }
      seen[offset / sizeof(T)] = true;
    }
  }
  return true;
}

TEST_CASE("no two elements share a place") {
  STATIC_REQUIRE(has_all_offsets<SharedTile<__half, 16, 64>>());
  STATIC_REQUIRE(has_all_offsets<SharedTile<__half, 8, 128>>());
  STATIC_REQUIRE(has_all_offsets<SharedTile<float, 24, 16>>());
  STATIC_REQUIRE(has_all_offsets<SharedTile<__half, 8, 48>>());
  STATIC_REQUIRE(has_all_offsets<SharedTile<unsigned char, 8, 32>>());
  STATIC_REQUIRE(has_all_offsets<SharedTile<__half, 8, 40, Swizzle::none>>());
}

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Reader {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4};
};

/// Loads a tile from a place in a matrix; threads move it element by element into another,
/// which is stored.
template <class Tile>
struct MoveKernel {
  using T = typename Tile::Element;
  struct Stage {
    Tile tile;
  };
  using Roles = RoleList<Reader, Producer>;
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = 1}, FilledByCopies<Producer>, ReadByThreads<Reader>>;
  struct Arguments {
    TensorMap<Tile> input;
    TensorMap<Tile> output;
    Coordinate from;
    Coordinate to;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
    Tile out[1];
  };
  static constexpr LaunchConfig launch{.name = "move"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (auto slot : end.fill(1)) {
            slot.load(slot->tile, arguments.input, arguments.from);
          }
        },
        [&](const ThreadGroup<Roles, Reader>& group) {
          auto end = ring.consumer(group);
          StoreRing stores(shared.out, group);
          for (auto slot : end.read(1)) {
            Tile& out = stores.acquire();
            for (int i = static_cast<int>(group.thread_rank()); i < Tile::rows * Tile::columns;
                 i += group.threads) {
              out.store(i / Tile::columns, i % Tile::columns,
                        static_cast<T>(slot->tile.load(i / Tile::columns, i % Tile::columns)));
            }
            stores.store(arguments.output, arguments.to);
          }
        });
  }
};

/// The matrix has 1.5 tiles each way; tiles start inside, over the edges, and (loads only) before
/// the start.
template <class Tile>
void check_moves(int seeds) {
  using T = typename Tile::Element;
  const int unit = 16 / static_cast<int>(sizeof(T));
  const int rows = Tile::rows + Tile::rows / 2;
  const int columns = Tile::columns + (Tile::columns / 2 + unit - 1) / unit * unit;
  std::vector<T> input;
  for (int i = 0; i < rows * columns; ++i) {
    input.push_back(static_cast<T>(i % 251 + 1));
  }
  const std::vector<T> untouched(input.size(), static_cast<T>(253));
  const DeviceArray<T> device_input(input);
  DeviceArray<T> output(untouched);
  const auto map = [&](const DeviceArray<T>& matrix, MapUse use) {
    return make_tensor_map<Tile>(MatrixView<T>{matrix.data(), rows, columns, columns}, "matrix",
                                 use);
  };
  const auto inside = [&](int row, int column) {
    return row >= 0 && row < rows && column >= 0 && column < columns;
  };
  for (const Coordinate from :
       {Coordinate{0, 0}, Coordinate{3, unit}, Coordinate{Tile::rows, Tile::columns},
        Coordinate{-1, -unit}, Coordinate{rows, 0}}) {
    const Coordinate to{from.row < 0 ? 0 : from.row, from.column < 0 ? 0 : from.column};
    INFO("tile " << Tile::rows << " x " << Tile::columns << ", span " << Tile::span_bytes
                 << ", from " << from.row << ", " << from.column);
    std::vector<T> expected = untouched;
    for (int row = 0; row < Tile::rows; ++row) {
      for (int column = 0; column < Tile::columns; ++column) {
        if (inside(to.row + row, to.column + column)) {
          expected[static_cast<std::size_t>((to.row + row) * columns + to.column + column)] =
              inside(from.row + row, from.column + column)
                  ? input[static_cast<std::size_t>((from.row + row) * columns + from.column +
                                                   column)]
                  : static_cast<T>(0);
        }
      }
    }
    on_every_schedule(seeds, [&](const Stream& stream) {
      output.assign(untouched);
      launch<MoveKernel<Tile>>(
          stream, {1, 1, 1},
          {map(device_input, MapUse::load), map(output, MapUse::store), from, to});
      REQUIRE(output.values() == expected);
    });
  }
}

TEST_CASE("threads find what the copy engine put there: swizzles") {
  check_moves<SharedTile<uint16_t, 16, 64>>(1);
  check_moves<SharedTile<uint16_t, 16, 32>>(1);
  check_moves<SharedTile<uint16_t, 16, 16>>(1);
  check_moves<SharedTile<uint16_t, 16, 8>>(1);
  check_moves<SharedTile<uint16_t, 16, 64, Swizzle::none>>(1);
  check_moves<SharedTile<uint16_t, 16, 64, Swizzle::span_32>>(1);
  check_moves<SharedTile<uint16_t, 16, 64, Swizzle::span_64>>(1);
}

TEST_CASE("threads find what the copy engine put there: several boxes") {
  check_moves<SharedTile<uint16_t, 8, 128>>(1);
  check_moves<SharedTile<uint16_t, 272, 16>>(1);
  check_moves<SharedTile<uint16_t, 272, 8>>(1);
}

TEST_CASE("threads find what the copy engine put there: other elements") {
  check_moves<SharedTile<float, 16, 32>>(1);
  check_moves<SharedTile<int32_t, 5, 8>>(1);
  check_moves<SharedTile<uint8_t, 16, 128>>(1);
  check_moves<SharedTile<uint8_t, 7, 32>>(1);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
