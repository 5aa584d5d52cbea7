// Multicast tiles that threads read, or rewrite first: ordinary accesses, and releases that cross
// CTAs.
#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "tests/warpline/tile_sums.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Transformer {
  static constexpr RoleConfig config{.name = "transformer", .warps = 4};
};
struct Reader {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4};
};

constexpr ClusterShape cluster{2, 1};
using Tile = Multicast<SharedTile<int32_t, 16, 32>, ClusterAxis::x, 2>;
constexpr int elements = Tile::rows * Tile::columns;

/// out[CTA][element] = (CTA + 1) * sum over k of (k + 1) * input[k][element], each element doubled
/// on the way if there is a transforming phase. Both CTAs of a cluster see the same tiles.
template <int Stages, Release Policy, bool Transforms>
struct ClusterReadKernel {
  struct Stage {
    Tile tile;
  };
  static constexpr PipelineConfig ring_config{
      .stages = Stages, .release = Policy, .cluster = cluster};
  using Roles = RoleList<Reader, Transformer, Producer>;
  using Ring = std::conditional_t<
      Transforms,
      Pipeline<Stage, ring_config, FilledByCopies<Producer>, TransformedByThreads<Transformer>,
               ReadByThreads<Reader>>,
      Pipeline<Stage, ring_config, FilledByCopies<Producer>, ReadByThreads<Reader>>>;
  struct Arguments {
    TensorMap<Tile> input;
    int32_t* out;
    int k_tiles;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "cluster_read", .cluster = cluster};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          int row = 0;
          for (auto slot : end.fill(arguments.k_tiles)) {
            slot.load(slot->tile, arguments.input, {.row = row, .column = 0});
            row += Tile::rows;
          }
        },
        [&](const ThreadGroup<Roles, Transformer>& group) {
          if constexpr (Transforms) {
            auto end = ring.transformer(group);
            for (auto slot : end.transform(arguments.k_tiles)) {
              for (int e = static_cast<int>(group.thread_rank()); e < elements;
                   e += group.threads) {
                const int row = e / Tile::columns;
                const int column = e % Tile::columns;
                slot->tile.store(row, column, 2 * slot->tile.load(row, column));
              }
            }
          }
        },
        [&](const ThreadGroup<Roles, Reader>& group) {
          auto end = ring.consumer(group);
          constexpr int per_thread = elements / ThreadGroup<Roles, Reader>::threads;
          int32_t sums[per_thread] = {};
          int k = 0;
          for (auto slot : end.read(arguments.k_tiles)) {
            ++k;
            WARPLINE_UNROLL
            for (int i = 0; i < per_thread; ++i) {
              const int e = static_cast<int>(group.thread_rank()) + i * group.threads;
              sums[i] += k * slot->tile.load(e / Tile::columns, e % Tile::columns);
            }
          }
          const int cta = static_cast<int>(isa::block_index().x);
          WARPLINE_UNROLL
          for (int i = 0; i < per_thread; ++i) {
            const int e = static_cast<int>(group.thread_rank()) + i * group.threads;
            isa::store_global(arguments.out + cta * elements + e, (cta + 1) * sums[i]);
          }
        });
  }
};

template <int Stages, Release Policy, bool Transforms>
void check_cluster_read(int seeds) {
  using Kernel = ClusterReadKernel<Stages, Policy, Transforms>;
  for (const int k_tiles : {1, 2, 5}) {
    std::vector<int32_t> input;
    for (int i = 0; i < k_tiles * elements; ++i) {
      input.push_back(sum_input(i));
    }
    std::vector<int32_t> expected(4 * elements);
    for (int i = 0; i < k_tiles * elements; ++i) {
      for (int cta = 0; cta < 4; ++cta) {
        expected[static_cast<std::size_t>(cta * elements + i % elements)] +=
            (cta + 1) * (i / elements + 1) * (Transforms ? 2 : 1) * sum_input(i);
      }
    }
    const DeviceArray<int32_t> device_input(input);
    DeviceArray<int32_t> out(expected);
    const typename Kernel::Arguments arguments{
        .input =
            make_tensor_map<Tile>(MatrixView<int32_t>{device_input.data(), k_tiles * Tile::rows,
                                                      Tile::columns, Tile::columns},
                                  "input"),
        .out = out.data(),
        .k_tiles = k_tiles};
    INFO("k tiles " << k_tiles << ", release " << static_cast<int>(Policy));
    on_every_schedule(seeds, [&](const Stream& stream) {
      out.assign(std::vector<int32_t>(expected.size(), -1));
      launch<Kernel>(stream, {4, 1, 1}, arguments);
      REQUIRE(out.values() == expected);
    });
  }
}

TEST_CASE("multicast tiles read by threads of both CTAs") {
  check_cluster_read<2, Release::per_thread, false>(5);
  check_cluster_read<2, Release::per_warp, false>(5);
  check_cluster_read<3, Release::per_warpgroup, false>(5);
}

TEST_CASE("multicast tiles rewritten by each CTA, then read") {
  check_cluster_read<2, Release::per_thread, true>(5);
  check_cluster_read<2, Release::per_warp, true>(5);
  check_cluster_read<3, Release::per_warpgroup, true>(5);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
