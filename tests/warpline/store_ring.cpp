// Buffers on their way to global memory, through many tiles of one CTA.
#include "warpline/store_ring.h"

#include "tests/warpline/product.h"
#include "tests/warpline/tile_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Writer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4};
};

WARPLINE_HOST_DEVICE int32_t stored_value(int tile, int element) { return tile * 1000 + element; }

enum class Reads { nothing, after_wait };

/// Tile by tile, out[tile][element] = stored_value. With Reads::after_wait each thread then reads
/// what another stored, and adds it to its entry of `sums`.
template <class Buffer, int Buffers, Reads Then>
struct StoreKernel {
  static constexpr bool is_tile = is_copied_tile<Buffer>;
  using Roles = RoleList<Writer>;
  struct Arguments {
    TensorMap<SumTile> map;
    int32_t* out;
    int32_t* sums;
    int tiles;
  };
  struct SharedMemory {
    Buffer buffers[Buffers];
  };
  static constexpr LaunchConfig launch{.name = "store"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    dispatch<Roles>([&](const ThreadGroup<Roles, Writer>& group) {
      StoreRing ring(shared.buffers, group);
      TileSums<ThreadGroup<Roles, Writer>> share(group);
      for (int tile = 0; tile < arguments.tiles; ++tile) {
        Buffer& buffer = ring.acquire();
        share.visit([&](int row, int column) {
          const int e = row * SumTile::columns + column;
          if constexpr (is_tile) {
            buffer.store(row, column, stored_value(tile, e));
          } else {
            buffer.store(e, stored_value(tile, e));
          }
        });
        if constexpr (is_tile) {
          ring.store(arguments.map, {.row = tile * SumTile::rows, .column = 0});
        } else {
          ring.store(arguments.out + tile * sum_elements, sum_elements);
        }
        if constexpr (Then == Reads::after_wait) {
          ring.wait_until_written();
          share.add(1, [&](int row, int column) {
            const int e = (SumTile::rows - 1 - row) * SumTile::columns + column;
            return isa::load_global(arguments.out + tile * sum_elements + e);
          });
        }
      }
      share.store(arguments.sums);
    });
  }
};

template <class Buffer, int Buffers, Reads Then = Reads::nothing>
void check_stores(int tiles, int seeds) {
  using Kernel = StoreKernel<Buffer, Buffers, Then>;
  std::vector<int32_t> expected;
  std::vector<int32_t> sums(sum_elements);
  for (int tile = 0; tile < tiles; ++tile) {
    for (int e = 0; e < sum_elements; ++e) {
      expected.push_back(stored_value(tile, e));
      const int mirrored = sum_elements - SumTile::columns -
                           e / SumTile::columns * SumTile::columns + e % SumTile::columns;
      sums[static_cast<std::size_t>(e)] +=
          Then == Reads::after_wait ? stored_value(tile, mirrored) : 0;
    }
  }
  DeviceArray<int32_t> out(expected);
  const DeviceArray<int32_t> device_sums(sums);
  const typename Kernel::Arguments arguments{
      .map = make_tensor_map<SumTile>(MatrixView<int32_t>{out.data(), tiles * SumTile::rows,
                                                          SumTile::columns, SumTile::columns},
                                      "out", MapUse::store),
      .out = out.data(),
      .sums = device_sums.data(),
      .tiles = tiles};
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<int32_t>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
    REQUIRE(device_sums.values() == sums);
  });
}

using Array = SharedArray<int32_t, sum_elements>;

TEST_CASE("200 tiles through one, two, three and eight buffers") {
  check_stores<SumTile, 1>(200, 2);
  check_stores<SumTile, 2>(200, 2);
  check_stores<SumTile, 3>(200, 2);
  check_stores<SumTile, 8>(200, 2);
  check_stores<SumTile, 2>(1, 10);
  check_stores<SumTile, 3>(4, 10);
}

TEST_CASE("the same by bulk copies of arrays") {
  check_stores<Array, 2>(200, 2);
  check_stores<Array, 3>(200, 2);
}

TEST_CASE("what was stored is read again, once it is written") {
  check_stores<SumTile, 2, Reads::after_wait>(20, 4);
  check_stores<Array, 3, Reads::after_wait>(20, 4);
}

/// A persistent matmul with k = 64 whose sums leave through a ring of Buffers.
template <int Buffers>
struct MultiplyStoreKernel {
  using Product = tests::Product<64, 8>;
  using Out = SharedTile<float, Product::rows, Product::columns>;
  using Consumer = MultiplyConsumer;
  using Producer = MultiplyProducer;
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Product::Stage, PipelineConfig{.stages = 3}, FilledByCopies<Producer>,
                        ReadByTensorCores<Consumer>>;
  struct Arguments {
    Product::Arguments product;
    TensorMap<Out> out;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
    Out out[Buffers];
  };
  static constexpr LaunchConfig launch{.name = "multiply_store"};

  WARPLINE_DEVICE void operator()(const Arguments& all, SharedMemory& shared) const {
    const Product::Arguments& arguments = all.product;
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            int k = 0;
            for (auto slot : end.fill(arguments.k_tiles)) {
              slot.load(slot->a, arguments.a, {arguments.row(tile), k});
              slot.load(slot->b, arguments.b, {arguments.column(tile), k});
              k += Product::depth;
            }
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          StoreRing stores(shared.out, group);
          Accumulator<Product::rows, Product::columns> sums;
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            sums.clear();
            for (auto slot : end.read(arguments.k_tiles)) {
              slot.release_after(mma(sums, slot->a, slot->b));
            }
            Out& buffer = stores.acquire();
            sums.for_each_pair(group.thread_rank(), [&](int row, int column, float x, float y) {
              buffer.store(row, column, x);
              buffer.store(row, column + 1, y);
            });
            stores.store(all.out, {arguments.row(tile), arguments.column(tile)});
          }
        });
  }
};

template <int Buffers>
void check_multiply_stores(int seeds) {
  using Kernel = MultiplyStoreKernel<Buffers>;
  using P = typename Kernel::Product;
  constexpr int grid = 14;
  constexpr int k_tiles = 4;
  const int rows = grid * P::rows;
  const int columns = grid * P::columns;
  const int depth = k_tiles * P::depth;
  const std::vector<float> expected = expected_product(rows, columns, depth, [](int) { return 1; });
  const DeviceArray<__half> a(multiply_matrix(rows, depth));
  const DeviceArray<__half> b(multiply_matrix(columns, depth));
  DeviceArray<float> out(expected);
  const typename Kernel::Arguments arguments{
      .product = product_arguments<P>(a, b, out, grid, k_tiles),
      .out = make_tensor_map<typename Kernel::Out>(
          MatrixView<float>{out.data(), rows, columns, columns}, "out", MapUse::store)};
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<float>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

TEST_CASE("196 tiles of a matmul with k = 64 leave through two and three buffers") {
  check_multiply_stores<2>(1);
  check_multiply_stores<3>(1);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
