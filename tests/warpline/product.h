// What the test kernels that multiply have in common: small persistent matmuls on one CTA, and what
// the host expects.
#pragma once

#include <cuda_fp16.h>

#include <vector>

#include "tests/support/device_array.h"
#include "tests/support/schedules.h"
#include "warpline/make_tensor_map.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct MultiplyConsumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct MultiplyProducer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};

/// out[Rows grid][Columns grid] = A[Rows grid][16 k_tiles] * B[Columns grid][16 k_tiles]^T, in grid
/// x grid tiles.
template <int Rows, int Columns>
struct Product {
  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr int depth = 16;
  using A = SharedTile<__half, rows, depth>;
  using B = SharedTile<__half, columns, depth>;
  struct Stage {
    A a;
    B b;
  };
  struct Arguments {
    TensorMap<A> a;
    TensorMap<B> b;
    const __half* flat_a;
    const __half* flat_b;
    float* out;
    int grid;
    int k_tiles;

    /// First rows of A and of B (which is the first column of out) of an output tile.
    WARPLINE_DEVICE int row(int tile) const { return tile / grid * rows; }
    WARPLINE_DEVICE int column(int tile) const { return tile % grid * columns; }
    WARPLINE_DEVICE int tiles() const { return grid * grid; }

    /// Writes the sums of a warpgroup to rows from `first_row` of an output tile on.
    template <int M>
    WARPLINE_DEVICE void store(const Accumulator<M, columns>& sums, int tile, int first_row,
                               uint32_t rank) const {
      float* const corner = out + (row(tile) + first_row) * columns * grid + column(tile);
      const int stride = columns * grid;
      sums.for_each_pair(rank, [&](int r, int c, float x, float y) {
        isa::store_global(corner + r * stride + c, x);
        isa::store_global(corner + r * stride + c + 1, y);
      });
    }
  };
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

/// Products of k tile k come with a factor of factor(k).
template <class Factor>
std::vector<float> expected_product(int rows, int columns, int depth, Factor factor) {
  std::vector<float> expected;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      int sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum += factor(k / 16) * multiply_input(row, k) * multiply_input(column, k);
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  return expected;
}

template <class P>
typename P::Arguments product_arguments(const DeviceArray<__half>& a, const DeviceArray<__half>& b,
                                        const DeviceArray<float>& out, int grid, int k_tiles) {
  const int depth = (k_tiles > 0 ? k_tiles : 1) * P::depth;  // no map may be empty
  const auto view = [&](const DeviceArray<__half>& matrix, int rows) {
    return MatrixView<__half>{matrix.data(), rows, depth, depth};
  };
  return {.a = make_tensor_map<typename P::A>(view(a, grid * P::rows), "A"),
          .b = make_tensor_map<typename P::B>(view(b, grid * P::columns), "B"),
          .flat_a = a.data(),
          .flat_b = b.data(),
          .out = out.data(),
          .grid = grid,
          .k_tiles = k_tiles};
}

/// Runs the kernel on every schedule and compares with expected_product.
template <class Kernel, class Factor>
void check_product(int grid, int k_tiles, int seeds, Factor factor) {
  using P = typename Kernel::Product;
  const int rows = grid * P::rows;
  const int columns = grid * P::columns;
  const int depth = (k_tiles > 0 ? k_tiles : 1) * P::depth;
  const std::vector<float> expected = expected_product(rows, columns, k_tiles * P::depth, factor);
  const DeviceArray<__half> a(multiply_matrix(rows, depth));
  const DeviceArray<__half> b(multiply_matrix(columns, depth));
  DeviceArray<float> out(expected);
  const auto arguments = product_arguments<P>(a, b, out, grid, k_tiles);
  INFO("grid " << grid << ", k tiles " << k_tiles);
  on_every_schedule(seeds, [&](const Stream& stream) {
    out.assign(std::vector<float>(expected.size(), -1));
    launch<Kernel>(stream, {1, 1, 1}, arguments);
    REQUIRE(out.values() == expected);
  });
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
