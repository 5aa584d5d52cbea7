// Stages with arrays beside tiles: bulk copies of any length, counted on the same barrier.
#include "tests/warpline/tile_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct ArrayProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct ArrayReader {
  static constexpr RoleConfig config{.name = "consumer", .warps = 2};
};

/// A tile whole, and as many of its elements again as an array: stage k brings the first 4 (k % 65)
/// of them.
template <int Stages, bool WithTile>
struct ArrayKernel {
  struct TileAndArray {
    SumTile tile;
    SharedArray<int32_t, sum_elements> array;
  };
  struct ArrayOnly {
    SharedArray<int32_t, sum_elements> array;
  };
  using Stage = std::conditional_t<WithTile, TileAndArray, ArrayOnly>;
  using Roles = RoleList<ArrayReader, ArrayProducer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Stages}, FilledByCopies<ArrayProducer>,
                        ReadByThreads<ArrayReader>>;
  static_assert(!Ring::arms_whole_stage);
  static_assert(Ring::tile_bytes == (WithTile ? SumTile::bytes : 0));
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "array"};

  static WARPLINE_HOST_DEVICE int count(int k) { return k % 65 * 4; }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, ArrayProducer>& group) {
          auto end = ring.producer(group);
          int i = 0;
          for (auto slot : end.fill(arguments.tiles * arguments.k_tiles)) {
            if constexpr (WithTile) {
              slot.load(slot->tile, arguments.input, {.row = i * SumTile::rows, .column = 0});
            }
            const int k = i % arguments.k_tiles;
            if (count(k) != 0) {
              slot.load(slot->array, arguments.flat_input + i * sum_elements, count(k));
            }
            ++i;
          }
        },
        [&](const ThreadGroup<Roles, ArrayReader>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            for (auto slot : end.read(arguments.k_tiles)) {
              sums.add(k + 1, [&](int row, int column) {
                const int e = row * SumTile::columns + column;
                const int32_t value = e < count(k) ? slot->array.load(e) : 0;
                if constexpr (WithTile) {
                  return value + 5 * slot->tile.load(row, column);
                } else {
                  return value;
                }
              });
              ++k;
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        });
  }
};

template <int Stages, bool WithTile>
void check_arrays(int k_tiles, int seeds) {
  using Kernel = ArrayKernel<Stages, WithTile>;
  const int inputs = 2 * k_tiles;
  std::vector<int32_t> input;
  for (int i = 0; i < inputs * sum_elements; ++i) {
    input.push_back(sum_input(i));
  }
  std::vector<int32_t> expected(2 * sum_elements);
  for (int i = 0; i < inputs; ++i) {
    for (int e = 0; e < sum_elements; ++e) {
      const int k = i % k_tiles;
      const int32_t value = sum_input(i * sum_elements + e);
      expected[static_cast<std::size_t>(i / k_tiles * sum_elements + e)] +=
          (k + 1) * ((e < Kernel::count(k) ? value : 0) + (WithTile ? 5 * value : 0));
    }
  }
  const DeviceArray<int32_t> device_input(input);
  DeviceArray<int32_t> out(expected);
  const SumArguments arguments{.input = make_tensor_map<SumTile>(
                                   MatrixView<int32_t>{device_input.data(), inputs * SumTile::rows,
                                                       SumTile::columns, SumTile::columns},
                                   "input"),
                               .flat_input = device_input.data(),
                               .out = out.data(),
                               .tiles = 2,
                               .k_tiles = k_tiles};
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

TEST_CASE("arrays of any length, alone in a stage") {
  check_arrays<1, false>(3, 10);
  check_arrays<3, false>(70, 3);
}

TEST_CASE("arrays of any length beside a tile") {
  check_arrays<2, true>(5, 10);
  check_arrays<3, true>(70, 3);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
