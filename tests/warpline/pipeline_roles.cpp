// Several roles in one phase: each is counted, and each sees every stage.
#include "tests/warpline/tile_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct FirstProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct SecondProducer {
  static constexpr RoleConfig config{.name = "second producer", .warps = 2};
};
struct FirstConsumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4};
};
struct SecondConsumer {
  static constexpr RoleConfig config{.name = "second consumer", .warps = 1};
};
struct ThirdConsumer {
  static constexpr RoleConfig config{.name = "third consumer", .warps = 8};
};

/// Two roles load a tile each into every stage; every third stage, the second leaves its tile out.
/// Three roles read: the first adds up the first tile, the second the second, and the third checks
/// that nobody went ahead of it.
template <int Stages, Release Policy>
struct ManyRolesKernel {
  struct Stage {
    SumTile first;
    SumTile second;
  };
  using Roles =
      RoleList<FirstConsumer, ThirdConsumer, FirstProducer, SecondConsumer, SecondProducer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByCopies<FirstProducer, SecondProducer>,
                        ReadByThreads<SecondConsumer, FirstConsumer, ThirdConsumer>>;
  static_assert(!Ring::arms_whole_stage);
  static_assert(Ring::arrival_count(0) == 2);
  static_assert(Ring::arrival_count(1) == (Policy == Release::per_thread ? 13 * 32 : 13));
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "many_roles"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    const int stages = arguments.tiles * arguments.k_tiles;
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, FirstProducer>& group) {
          auto end = ring.producer(group);
          int i = 0;
          for (auto slot : end.fill(stages)) {
            slot.load(slot->first, arguments.input, {.row = i++ * SumTile::rows, .column = 0});
          }
        },
        [&](const ThreadGroup<Roles, SecondProducer>& group) {
          auto end = ring.producer(group);
          int i = 0;
          for (auto slot : end.fill(stages)) {
            if (i % 3 != 2) {
              slot.load(slot->second, arguments.input, {.row = i * SumTile::rows, .column = 0});
            }
            ++i;
          }
        },
        [&](const ThreadGroup<Roles, FirstConsumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            for (auto slot : end.read(arguments.k_tiles)) {
              sums.add(++k, [&](int row, int column) { return slot->first.load(row, column); });
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        },
        [&](const ThreadGroup<Roles, SecondConsumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          int i = 0;
          for (auto slot : end.read(stages)) {
            if (i++ % 3 != 2) {
              sums.add(1, [&](int row, int column) { return slot->second.load(row, column); });
            }
          }
          sums.store(arguments.out + arguments.tiles * sum_elements);
        },
        [&](const ThreadGroup<Roles, ThirdConsumer>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          int i = 0;
          for (auto slot : end.read(stages)) {
            sums.add(i % 3 != 2 ? 1 : 0, [&](int row, int column) {
              return slot->first.load(row, column) -
                     (i % 3 != 2 ? slot->second.load(row, column) : 0);
            });
            ++i;
          }
          sums.store(arguments.out + (arguments.tiles + 1) * sum_elements);
        });
  }
};

template <int Stages, Release Policy>
void check_many_roles(int tiles, int k_tiles, int seeds) {
  using Kernel = ManyRolesKernel<Stages, Policy>;
  const int stages = tiles * k_tiles;
  std::vector<int32_t> input;
  for (int i = 0; i < stages * sum_elements; ++i) {
    input.push_back(sum_input(i));
  }
  std::vector<int32_t> expected(static_cast<std::size_t>(tiles + 2) * sum_elements);
  for (int i = 0; i < stages; ++i) {
    for (int e = 0; e < sum_elements; ++e) {
      const int32_t value = sum_input(i * sum_elements + e);
      expected[static_cast<std::size_t>(i / k_tiles * sum_elements + e)] +=
          (i % k_tiles + 1) * value;
      expected[static_cast<std::size_t>(tiles * sum_elements + e)] += i % 3 != 2 ? value : 0;
    }
  }
  const DeviceArray<int32_t> device_input(input);
  DeviceArray<int32_t> out(expected);
  const SumArguments arguments{.input = make_tensor_map<SumTile>(
                                   MatrixView<int32_t>{device_input.data(), stages * SumTile::rows,
                                                       SumTile::columns, SumTile::columns},
                                   "input"),
                               .flat_input = nullptr,
                               .out = out.data(),
                               .tiles = tiles,
                               .k_tiles = k_tiles};
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

TEST_CASE("two producing and three reading roles on one ring") {
  check_many_roles<1, Release::per_warp>(2, 3, 8);
  check_many_roles<2, Release::per_warp>(3, 4, 8);
  check_many_roles<3, Release::per_thread>(2, 5, 8);
  check_many_roles<4, Release::per_warp>(2, 2, 8);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
