// A third phase between filling and reading: threads rewrite the stage. And stages that threads
// fill.
#include "tests/warpline/product.h"
#include "tests/warpline/tile_sums.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct RawProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct ChangingTransformer {
  static constexpr RoleConfig config{.name = "transformer", .warps = 4};
};
struct ChangedReader {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4};
};

/// Loaded, then each element becomes twice the one 64 places further plus one, then read.
template <int Stages, Release Policy, bool Unrolled>
struct TransformKernel {
  struct Stage {
    SumTile tile;
  };
  using Roles = RoleList<ChangingTransformer, ChangedReader, RawProducer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByCopies<RawProducer>, TransformedByThreads<ChangingTransformer>,
                        ReadByThreads<ChangedReader>>;
  using Arguments = SumArguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "transform"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    const int stages = arguments.tiles * arguments.k_tiles;
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, RawProducer>& group) {
          auto end = ring.producer(group);
          int row = 0;
          for (auto slot : end.fill(stages)) {
            slot.load(slot->tile, arguments.input, {.row = row, .column = 0});
            row += SumTile::rows;
          }
        },
        [&](const ThreadGroup<Roles, ChangingTransformer>& group) {
          auto end = ring.transformer(group);
          TileSums share(group);
          const auto rewrite = [&](auto& slot) {
            int32_t values[2] = {};
            int i = 0;
            share.visit([&](int row, int column) {
              values[i++] = slot->tile.load((row + 2) % SumTile::rows, column);
            });
            group.sync();  // nobody writes before all have read
            i = 0;
            share.visit(
                [&](int row, int column) { slot->tile.store(row, column, 2 * values[i++] + 1); });
          };
          if constexpr (Unrolled) {
            end.transform(stages, rewrite);
          } else {
            for (auto slot : end.transform(stages)) {
              rewrite(slot);
            }
          }
        },
        [&](const ThreadGroup<Roles, ChangedReader>& group) {
          auto end = ring.consumer(group);
          TileSums sums(group);
          for (int tile = 0; tile < arguments.tiles; ++tile) {
            int k = 0;
            for (auto slot : end.read(arguments.k_tiles)) {
              // Turned back, so that the sums are of the elements' own.
              sums.add(++k, [&](int row, int column) {
                return slot->tile.load((row + SumTile::rows - 2) % SumTile::rows, column);
              });
            }
            sums.store(arguments.out + tile * sum_elements);
          }
        });
  }
};

template <int Stages, Release Policy, bool Unrolled = false>
void check_transform() {
  for (const int k_tiles : {0, 1, Stages, 2 * Stages + 1}) {
    check_sums_of<TransformKernel<Stages, Policy, Unrolled>>(
        3, k_tiles, 6, [](int k, int32_t value) { return (k + 1) * (2 * value + 1); });
  }
}

TEST_CASE("loaded, rewritten by threads, read by threads") {
  check_transform<1, Release::per_warp>();
  check_transform<2, Release::per_warp>();
  check_transform<2, Release::per_warp, true>();
  check_transform<3, Release::per_thread>();
  check_transform<3, Release::per_warpgroup>();
  check_transform<3, Release::per_warpgroup, true>();
}

/// Loaded, A doubled by threads, multiplied.
template <int Stages, Release Policy>
struct TransformMultiplyKernel {
  using Product = tests::Product<64, 8>;
  using Roles = RoleList<ChangingTransformer, MultiplyConsumer, RawProducer>;
  using Ring = Pipeline<Product::Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByCopies<RawProducer>, TransformedByThreads<ChangingTransformer>,
                        ReadByTensorCores<MultiplyConsumer>>;
  using Arguments = Product::Arguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "transform_multiply"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    const int stages = arguments.tiles() * arguments.k_tiles;
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, RawProducer>& group) {
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
        [&](const ThreadGroup<Roles, ChangingTransformer>& group) {
          auto end = ring.transformer(group);
          const int row = static_cast<int>(group.thread_rank()) % Product::rows;
          const int begin = static_cast<int>(group.thread_rank()) / Product::rows * 8;
          for (auto slot : end.transform(stages)) {
            for (int k = begin; k < begin + 8; ++k) {
              slot->a.store(row, k, __float2half(2 * __half2float(slot->a.load(row, k))));
            }
          }
        },
        [&](const ThreadGroup<Roles, MultiplyConsumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<Product::rows, Product::columns> sums;
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            sums.clear();
            for (auto slot : end.read(arguments.k_tiles)) {
              slot.release_after(mma(sums, slot->a, slot->b));
            }
            arguments.store(sums, tile, 0, group.thread_rank());
          }
        });
  }
};

TEST_CASE("loaded, rewritten by threads, multiplied") {
  for (const int k_tiles : {1, 2, 5}) {
    const auto twice = [](int) { return 2; };
    check_product<TransformMultiplyKernel<1, Release::per_warp>>(2, k_tiles, 5, twice);
    check_product<TransformMultiplyKernel<2, Release::per_warp>>(2, k_tiles, 5, twice);
    check_product<TransformMultiplyKernel<3, Release::per_thread>>(2, k_tiles, 5, twice);
    check_product<TransformMultiplyKernel<3, Release::per_warpgroup>>(2, k_tiles, 5, twice);
  }
}

/// Threads copy A and B from global memory into the stage (operands that the copy engine cannot
/// take), then it is multiplied.
template <int Stages, Release Policy>
struct ThreadFilledKernel {
  using Product = tests::Product<64, 8>;
  using Roles = RoleList<MultiplyConsumer, ChangingTransformer>;
  using Ring = Pipeline<Product::Stage, PipelineConfig{.stages = Stages, .release = Policy},
                        FilledByThreads<ChangingTransformer>, ReadByTensorCores<MultiplyConsumer>>;
  using Arguments = Product::Arguments;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "thread_filled"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, ChangingTransformer>& group) {
          auto end = ring.producer(group);
          const int stride = arguments.k_tiles * Product::depth;
          const auto copy = [&](auto& tile, const __half* source, int row) {
            const int rows =
                static_cast<int>(sizeof tile.elements / sizeof(__half)) / Product::depth;
            for (int i = static_cast<int>(group.thread_rank()); i < rows * Product::depth;
                 i += group.threads) {
              const int r = i / Product::depth;
              const int k = i % Product::depth;
              tile.store(r, k, isa::load_global(source + (row + r) * stride + k));
            }
          };
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            int k = 0;
            for (auto slot : end.fill(arguments.k_tiles)) {
              copy(slot->a, arguments.flat_a + k, arguments.row(tile));
              copy(slot->b, arguments.flat_b + k, arguments.column(tile));
              k += Product::depth;
            }
          }
        },
        [&](const ThreadGroup<Roles, MultiplyConsumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<Product::rows, Product::columns> sums;
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            sums.clear();
            for (auto slot : end.read(arguments.k_tiles)) {
              slot.release_after(mma(sums, slot->a, slot->b));
            }
            arguments.store(sums, tile, 0, group.thread_rank());
          }
        });
  }
};

TEST_CASE("filled by threads, multiplied") {
  for (const int k_tiles : {1, 2, 5}) {
    const auto once = [](int) { return 1; };
    check_product<ThreadFilledKernel<1, Release::per_warp>>(2, k_tiles, 5, once);
    check_product<ThreadFilledKernel<2, Release::per_warp>>(2, k_tiles, 5, once);
    check_product<ThreadFilledKernel<3, Release::per_thread>>(2, k_tiles, 5, once);
    check_product<ThreadFilledKernel<3, Release::per_warpgroup>>(2, k_tiles, 5, once);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
