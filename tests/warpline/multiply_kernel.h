// A small persistent matmul on one CTA, to try the ways in which a consumer can treat its stages.
#pragma once

#include <cuda_fp16.h>

#include <vector>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/deferred_release.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {

enum class Treatment {
  release_after,    ///< multiply, wait, release
  end_of_scope,     ///< the slot's destructor waits and releases
  deferred,         ///< one multiply in flight
  skip,             ///< every third k tile is committed with zero bytes and not multiplied
  skip_by_default,  ///< the same, but nothing says so: the slots just go out of scope
  skip_deferred,    ///< and with one multiply in flight
};

struct MultiplyConfig {
  int stages = 3;
  Release release = Release::per_warp;
  Treatment treatment = Treatment::release_after;
  bool unrolled = false;
};

struct MultiplyConsumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct MultiplyProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};

/// out[64 grid][8 grid] = A[64 grid][16 k_tiles] * B[8 grid][16 k_tiles]^T, in grid x grid tiles.
template <MultiplyConfig Config>
struct MultiplyKernel {
  static constexpr int rows = 64;
  static constexpr int columns = 8;
  static constexpr int depth = 16;
  static constexpr bool skips = Config.treatment == Treatment::skip ||
                                Config.treatment == Treatment::skip_by_default ||
                                Config.treatment == Treatment::skip_deferred;
  static constexpr bool defers =
      Config.treatment == Treatment::deferred || Config.treatment == Treatment::skip_deferred;
  using A = SharedTile<__half, rows, depth>;
  using B = SharedTile<__half, columns, depth>;
  struct Stage {
    A a;
    B b;
  };
  using Producer = MultiplyProducer;
  using Consumer = MultiplyConsumer;
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .release = Config.release},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  struct Arguments {
    TensorMap<A> a;
    TensorMap<B> b;
    float* out;
    int grid;
    int k_tiles;
  };
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "multiply"};

  /// Calls body(slot) for each stage of `end`, in the form that the configuration asks for.
  template <class End, class Body>
  static WARPLINE_DEVICE void fill(End& end, int count, Body body) {
    if constexpr (Config.unrolled) {
      end.fill(count, body);
    } else {
      for (auto slot : end.fill(count)) {
        body(slot);
      }
    }
  }
  template <class End, class Body>
  static WARPLINE_DEVICE void read(End& end, int count, Body body) {
    if constexpr (Config.unrolled) {
      end.read(count, body);
    } else {
      for (auto slot : end.read(count)) {
        body(slot);
      }
    }
  }

  static WARPLINE_HOST_DEVICE bool skipped(int k) { return skips && k % 3 == 2; }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int tile = 0; tile < arguments.grid * arguments.grid; ++tile) {
            int k = 0;
            fill(end, arguments.k_tiles, [&](auto& slot) {
              if (!skipped(k)) {
                slot.load(slot->a, arguments.a, {tile / arguments.grid * rows, k * depth});
                slot.load(slot->b, arguments.b, {tile % arguments.grid * columns, k * depth});
              } else if (Config.treatment != Treatment::skip_by_default) {
                slot.skip();
              }
              ++k;
            });
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<rows, columns> sums;
          DeferredRelease deferred(end);
          for (int tile = 0; tile < arguments.grid * arguments.grid; ++tile) {
            sums.clear();
            int k = 0;
            read(end, arguments.k_tiles, [&](auto& slot) {
              if (skipped(k)) {
                if constexpr (defers) {
                  deferred.skip(slot);
                } else if constexpr (Config.treatment != Treatment::skip_by_default) {
                  slot.release_unread();
                }
              } else if constexpr (defers) {
                deferred.push(slot, mma(sums, slot->a, slot->b));
              } else {
                const auto done = mma(sums, slot->a, slot->b);
                if constexpr (Config.treatment == Treatment::end_of_scope) {
                  done.wait();
                } else {
                  slot.release_after(done);
                }
              }
              ++k;
            });
            if constexpr (defers) {
              deferred.flush(sums);
            }
            float* const corner = arguments.out +
                                  tile / arguments.grid * rows * columns * arguments.grid +
                                  tile % arguments.grid * columns;
            sums.for_each_pair(group.thread_rank(), [&](int row, int column, float x, float y) {
              float* const place = corner + row * columns * arguments.grid + column;
              isa::store_global(place, x);
              isa::store_global(place + 1, y);
            });
          }
        });
  }
};

inline int multiply_input(int row, int k) { return (row * 5 + k * 3) % 11 - 5; }

inline std::vector<__half> multiply_matrix(int rows, int depth) {
  std::vector<__half> values;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < depth; ++k) {
      values.push_back(__float2half(static_cast<float>(multiply_input(row, k))));
    }
  }
  return values;
}

/// Runs the kernel on every schedule and compares with the sums made here.
template <MultiplyConfig Config>
void check_multiply(int grid, int k_tiles, int seeds) {
  using Kernel = MultiplyKernel<Config>;
  const int rows = grid * Kernel::rows;
  const int columns = grid * Kernel::columns;
  const int depth = (k_tiles > 0 ? k_tiles : 1) * Kernel::depth;
  std::vector<float> expected;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      int sum = 0;
      for (int k = 0; k < k_tiles * Kernel::depth; ++k) {
        sum += Kernel::skipped(k / Kernel::depth)
                   ? 0
                   : multiply_input(row, k) * multiply_input(column, k);
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  const DeviceArray<__half> a(multiply_matrix(rows, depth));
  const DeviceArray<__half> b(multiply_matrix(columns, depth));
  DeviceArray<float> out(expected);
  const typename Kernel::Arguments arguments{
      .a = make_tensor_map<typename Kernel::A>(MatrixView<__half>{a.data(), rows, depth, depth},
                                               "A"),
      .b = make_tensor_map<typename Kernel::B>(MatrixView<__half>{b.data(), columns, depth, depth},
                                               "B"),
      .out = out.data(),
      .grid = grid,
      .k_tiles = k_tiles};
  INFO("stages " << Config.stages << ", release " << static_cast<int>(Config.release)
                 << ", treatment " << static_cast<int>(Config.treatment) << ", unrolled "
                 << Config.unrolled << ", grid " << grid << ", k tiles " << k_tiles);
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<float>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
