// Clusters: tiles that one load delivers to several CTAs, and stages that all of them must free.
#include "tests/warpline/product.h"
#include "warpline/deferred_release.h"
#include "warpline/isa/clock.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

enum class Late { nobody, second_cta };

struct ClusterConfig {
  ClusterShape cluster;
  int stages = 2;
  Release release = Release::per_warp;
  /// Who waits a millisecond before its last release.
  Late late = Late::nobody;
  bool unrolled = false;
  bool skips = false;
  bool defers = false;
};

template <class Tile, ClusterAxis Axis, int Ctas>
using Shared = std::conditional_t<Ctas == 1, Tile, Multicast<Tile, Axis, Ctas>>;

/// A CTA's column of the grid picks its rows of A, its row of the grid its rows of B: so CTAs along
/// y share A, and CTAs along x share B. Each CTA computes `tiles` tiles, one below the other.
template <ClusterConfig Config>
struct ClusterKernel {
  static constexpr int rows = 64;
  static constexpr int columns = 8 * Config.cluster.x;
  static constexpr int depth = 16;
  using A = Shared<SharedTile<__half, rows, depth>, ClusterAxis::y, Config.cluster.y>;
  using B = Shared<SharedTile<__half, columns, depth>, ClusterAxis::x, Config.cluster.x>;
  struct Stage {
    A a;
    B b;
  };
  using Consumer = MultiplyConsumer;
  using Producer = MultiplyProducer;
  using Roles = RoleList<Consumer, Producer>;
  using Ring =
      Pipeline<Stage,
               PipelineConfig{
                   .stages = Config.stages, .release = Config.release, .cluster = Config.cluster},
               FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  static_assert(Ring::peers == Config.cluster.x + Config.cluster.y - 1);
  static_assert(Ring::arrival_count(0) == 1);
  static_assert(Ring::arrival_count(1) == Ring::arrivals[1] * Ring::peers);
  struct Arguments {
    TensorMap<A> a;
    TensorMap<B> b;
    float* out;
    int stride;
    int tiles;
    int k_tiles;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "cluster", .cluster = Config.cluster};

  static WARPLINE_HOST_DEVICE bool skipped(int k) { return Config.skips && k % 3 == 1; }

  static WARPLINE_DEVICE int first_row(int tile) {
    return (tile * static_cast<int>(isa::grid_size().x) + static_cast<int>(isa::block_index().x)) *
           rows;
  }
  static WARPLINE_DEVICE int first_column() {
    return static_cast<int>(isa::block_index().y) * columns;
  }

  static WARPLINE_DEVICE void wait_a_millisecond() {
    for (int i = 0; i < 200; ++i) {
      isa::sleep_nanoseconds(5000);
    }
  }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            const auto fill = [&](auto& slot) {
              if (!skipped(k)) {
                slot.load(slot->a, arguments.a, {first_row(tile), k * depth});
                slot.load(slot->b, arguments.b, {first_column(), k * depth});
              }
              ++k;
            };
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
          Accumulator<rows, columns> sums;
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            sums.clear();
            int k = 0;
            // NOLINTNEXTLINE(misc-const-correctness): some configurations push to it
            DeferredRelease deferred(end);
            const auto multiply = [&](auto& slot) {
              const bool last = tile == arguments.tiles - 1 && k == arguments.k_tiles - 1;
              if (Config.late == Late::second_cta && last && isa::cluster_cta_rank() == 1) {
                wait_a_millisecond();
              }
              if constexpr (Config.defers) {
                deferred.push(slot, mma(sums, slot->a, slot->b));
              } else if (skipped(k)) {
                slot.release_unread();
              } else {
                slot.release_after(mma(sums, slot->a, slot->b));
              }
              ++k;
            };
            if constexpr (Config.unrolled) {
              end.read(arguments.k_tiles, multiply);
            } else {
              for (auto slot : end.read(arguments.k_tiles)) {
                multiply(slot);
              }
            }
            if constexpr (Config.defers) {
              deferred.flush(sums);
            }
            float* const corner =
                arguments.out + first_row(tile) * arguments.stride + first_column();
            sums.for_each_pair(group.thread_rank(), [&](int row, int column, float x, float y) {
              isa::store_global(corner + row * arguments.stride + column, x);
              isa::store_global(corner + row * arguments.stride + column + 1, y);
            });
          }
        });
  }
};

template <ClusterConfig Config>
void check_cluster(int tiles, int k_tiles, int seeds) {
  using Kernel = ClusterKernel<Config>;
  const int grid_x = 2 * Config.cluster.x;
  const int rows = tiles * grid_x * Kernel::rows;
  const int columns = Config.cluster.y * Kernel::columns;
  const int depth = k_tiles * Kernel::depth;
  const std::vector<float> expected =
      expected_product(rows, columns, depth, [](int k) { return Kernel::skipped(k) ? 0 : 1; });
  const DeviceArray<__half> a(multiply_matrix(rows, depth));
  const DeviceArray<__half> b(multiply_matrix(columns, depth));
  DeviceArray<float> out(expected);
  const typename Kernel::Arguments arguments{
      .a = make_tensor_map<typename Kernel::A>(MatrixView<__half>{a.data(), rows, depth, depth},
                                               "A"),
      .b = make_tensor_map<typename Kernel::B>(MatrixView<__half>{b.data(), columns, depth, depth},
                                               "B"),
      .out = out.data(),
      .stride = columns,
      .tiles = tiles,
      .k_tiles = k_tiles};
  INFO("cluster " << Config.cluster.x << " x " << Config.cluster.y << ", tiles " << tiles
                  << ", k tiles " << k_tiles << ", release " << static_cast<int>(Config.release));
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<float>(expected.size(), -1));
    launch<Kernel>(stream,
                   {static_cast<uint32_t>(grid_x), static_cast<uint32_t>(Config.cluster.y), 1},
                   arguments);
    REQUIRE(out.values() == expected);
  });
}

template <int X, int Y>
void check_shape() {
  for (const int k_tiles : {1, 2, 5}) {
    check_cluster<ClusterConfig{.cluster = {X, Y}}>(2, k_tiles, 3);
    check_cluster<ClusterConfig{.cluster = {X, Y}, .stages = 3, .unrolled = true}>(2, k_tiles, 2);
  }
}

TEST_CASE("clusters of 2 x 1") { check_shape<2, 1>(); }
TEST_CASE("clusters of 1 x 2") { check_shape<1, 2>(); }
TEST_CASE("clusters of 2 x 2") { check_shape<2, 2>(); }
TEST_CASE("clusters of 4 x 1") { check_shape<4, 1>(); }
TEST_CASE("clusters of 2 x 4") { check_cluster<ClusterConfig{.cluster = {2, 4}}>(1, 5, 1); }

TEST_CASE("one k tile, and a CTA that is late with its last release") {
  check_cluster<ClusterConfig{.cluster = {2, 1}, .late = Late::second_cta}>(1, 1, 20);
  check_cluster<ClusterConfig{.cluster = {1, 2}, .late = Late::second_cta}>(1, 1, 10);
  check_cluster<ClusterConfig{.cluster = {2, 2}, .late = Late::second_cta}>(1, 1, 5);
}

TEST_CASE("every policy of release across a cluster") {
  check_cluster<ClusterConfig{.cluster = {2, 2}, .release = Release::per_thread}>(1, 5, 3);
  check_cluster<ClusterConfig{.cluster = {2, 2}, .release = Release::per_warpgroup}>(1, 5, 3);
  check_cluster<ClusterConfig{.cluster = {2, 1}, .release = Release::per_thread}>(2, 3, 3);
  check_cluster<ClusterConfig{.cluster = {2, 1}, .release = Release::per_warpgroup}>(2, 3, 3);
}

TEST_CASE("deferred release and skipped tiles across a cluster") {
  check_cluster<ClusterConfig{.cluster = {2, 1}, .defers = true}>(2, 5, 5);
  check_cluster<ClusterConfig{.cluster = {2, 2}, .stages = 3, .defers = true}>(1, 7, 3);
  check_cluster<ClusterConfig{.cluster = {2, 1}, .skips = true}>(2, 5, 5);
  check_cluster<ClusterConfig{.cluster = {1, 2}, .skips = true}>(2, 7, 5);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
