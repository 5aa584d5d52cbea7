// One tile type as both operands of mma: loaded by the copy engine, multiplied by the identity,
// whole and in slices of rows. What comes back is the tile, or the type's offsets are wrong.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "tests/differential/probe.h"
#include "warpline/bits.h"
#include "warpline/make_tensor_map.h"
#include "warpline/mma.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// M and N of the products.
inline constexpr int product_extent = 128;
inline constexpr int product_floats = product_extent * product_extent;

/// Products of one run, in this order, 128 x 128 each: X I, I X, and both again by slices of X.
inline constexpr int tile_products = 4;

template <class T, Swizzle S, isa::Major M, int K>
struct TileProbe {
  using Roles = RoleList<ProbeRole>;
  static constexpr bool k_major = M == isa::Major::k;
  using Tile = std::conditional_t<k_major, SharedTile<T, product_extent, K, S>,
                                  SharedTile<T, K, product_extent, S>>;
  using Identity = SharedTile<T, product_extent, K>;  // K-major
  using HalfIdentity = SharedTile<T, product_extent, 64>;
  static constexpr bool sliced = Tile::rows == product_extent;
  struct Arguments {
    TensorMap<Tile> tile;
    TensorMap<Identity> identity;
    TensorMap<HalfIdentity> half_identity;
    float* out;
  };
  struct SharedMemory {
    Tile tile;
    Identity identity;
    HalfIdentity halves[2];  ///< columns 0..63 and 64..127: partners of slices of K
    isa::Mbarrier full;
  };
  static constexpr LaunchConfig launch{.name = "tile probe"};
  static constexpr MmaOptions tile_is_a{.a = M};
  static constexpr MmaOptions tile_is_b{.b = M};

  template <class Box>
  static WARPLINE_DEVICE void load(Box& tile, const TensorMap<Box>& map, int column,
                                   isa::Mbarrier& full) {
    auto* bytes = reinterpret_cast<unsigned char*>(tile.elements);
    for (int slab = 0; slab < Box::slabs; ++slab) {
      isa::tensor_load<2>(bytes + slab * Box::slab_bytes, map,
                          {column + slab * Box::span_columns, 0}, full);
    }
  }

  /// One pair for all products: several pairs would all be live at once, from wherever the compiler
  /// makes them.
  struct Sums {
    Accumulator<product_extent, 64> tall;
    Accumulator<64, product_extent> wide;
  };

  /// Multiplies and writes the product at (row, column) of product `index`.
  template <MmaOptions Options, class Acc, class A, class B>
  static WARPLINE_DEVICE void product(const Arguments& args, Acc& sums, int index, int row,
                                      int column, const A& a, const B& b) {
    sums.clear();
    mma<Options>(sums, a, b).wait();
    float* out = args.out + index * product_floats + row * product_extent + column;
    sums.for_each_pair(isa::thread_index(), [&](int r, int c, float first, float second) {
      isa::store_global(&out[r * product_extent + c], first);
      isa::store_global(&out[r * product_extent + c + 1], second);
    });
  }

  /// With half of the identity's rows at a time, so that the accumulators leave room for the rest.
  static WARPLINE_DEVICE void half(const Arguments& args, const SharedMemory& shared, Sums& sums,
                                   int begin) {
    const auto identity = shared.identity.template row_slice<64>(begin);
    product<tile_is_a>(args, sums.tall, 0, 0, begin, shared.tile, identity);
    product<tile_is_b>(args, sums.wide, 1, begin, 0, identity, shared.tile);
    if constexpr (sliced) {
      const auto slice = shared.tile.template row_slice<64>(begin);
      if constexpr (k_major) {
        product<tile_is_a>(args, sums.wide, 2, begin, 0, slice, shared.identity);
        product<tile_is_b>(args, sums.tall, 3, 0, begin, shared.identity, slice);
      } else {
        const auto partner = shared.halves[begin / 64].template row_slice<64>(begin);
        product<tile_is_a>(args, sums.tall, 2, 0, begin, slice, partner);
        product<tile_is_b>(args, sums.wide, 3, begin, 0, partner, slice);
      }
    }
  }

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    init_barriers(&shared.full, 1, 1);
    if (isa::thread_index() == 0) {
      isa::mbarrier_arrive_expect_tx(shared.full,
                                     Tile::bytes + Identity::bytes + 2 * HalfIdentity::bytes);
      load(shared.tile, args.tile, 0, shared.full);
      load(shared.identity, args.identity, 0, shared.full);
      load(shared.halves[0], args.half_identity, 0, shared.full);
      load(shared.halves[1], args.half_identity, 64, shared.full);
    }
    bounded_wait(shared.full, 0);
    Sums sums;
    WARPLINE_NO_UNROLL
    for (int begin = 0; begin < product_extent; begin += 64) {
      half(args, shared, sums, begin);
    }
  }
};

/// Random bits that are finite in both formats, and neither zero nor denormal nor near their
/// limits.
inline uint16_t random_element(uint32_t seed, int mn, int k, bool fp16) {
  const uint32_t bits = pattern(seed, static_cast<uint32_t>(mn * 1000 + k));
  const uint32_t mantissa_bits = fp16 ? 10 : 7;
  const uint32_t exponent = (fp16 ? 10 : 120) + (bits >> 16) % 8;
  return static_cast<uint16_t>((bits & 0x8000u) | exponent << mantissa_bits |
                               (bits & ((1u << mantissa_bits) - 1)));
}

inline float as_float(uint16_t bits, bool fp16) {
  if (!fp16) {
    return bits_as<float>(static_cast<uint32_t>(bits) << 16);
  }
  // No zeros, denormals or infinities come here.
  const uint32_t exponent = (bits >> 10 & 31) + 127 - 15;
  return bits_as<float>((static_cast<uint32_t>(bits) & 0x8000u) << 16 | exponent << 23 |
                        (static_cast<uint32_t>(bits) & 0x3ffu) << 13);
}

/// A row-major matrix in global memory.
template <class Element>
Bytes matrix_bytes(int rows, int columns, Element element) {
  Bytes bytes(static_cast<std::size_t>(rows * columns * 2));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const uint16_t bits = element(r, c);
      std::memcpy(&bytes[static_cast<std::size_t>(r * columns + c) * 2], &bits, 2);
    }
  }
  return bytes;
}

template <class Tile>
TensorMap<Tile> map_of(const TargetBytes& memory, int rows, int columns) {
  using T = typename Tile::Element;
  return make_tensor_map<Tile>(MatrixView<T>{.data = reinterpret_cast<T*>(memory.data()),
                                             .rows = rows,
                                             .columns = columns,
                                             .stride = columns},
                               "tile");
}

struct TileResult {
  std::string name;
  Bytes found;
  Bytes expected;
};

template <class T, Swizzle S, isa::Major M, int K>
TileResult run_tile(const Stream& stream) {
  using Probe = TileProbe<T, S, M, K>;
  constexpr bool fp16 = std::is_same_v<T, __half>;
  constexpr uint16_t one = fp16 ? 0x3c00 : 0x3f80;
  constexpr uint32_t seed = K * 10 + static_cast<int>(S);
  using Tile = typename Probe::Tile;
  const auto x = [](int mn, int k) { return random_element(seed, mn, k, fp16); };
  const TargetBytes tile(matrix_bytes(
      Tile::rows, Tile::columns, [&](int r, int c) { return Probe::k_major ? x(r, c) : x(c, r); }));
  const TargetBytes identity(matrix_bytes(product_extent, product_extent,
                                          [](int r, int c) { return r == c ? one : uint16_t{0}; }));
  std::vector<float> expected(std::size_t{tile_products} * product_floats, 0.0f);
  const TargetBytes out(Bytes(expected.size() * 4, 0));
  run_probe<Probe>(
      stream, {1, 1, 1},
      {.tile = map_of<Tile>(tile, Tile::rows, Tile::columns),
       .identity = map_of<typename Probe::Identity>(identity, product_extent, product_extent),
       .half_identity =
           map_of<typename Probe::HalfIdentity>(identity, product_extent, product_extent),
       .out = reinterpret_cast<float*>(out.data())});

  const auto put = [&](int product, int row, int column, float value) {
    expected[static_cast<std::size_t>(product * product_floats + row * product_extent + column)] =
        value;
  };
  for (int mn = 0; mn < product_extent; ++mn) {
    for (int k = 0; k < K; ++k) {
      const float value = as_float(x(mn, k), fp16);
      put(0, mn, k, value);
      put(1, k, mn, value);
      if (Probe::sliced) {
        put(2, mn, k, value);
        put(3, k, mn, value);
      }
    }
  }
  Bytes wanted(expected.size() * 4);
  std::memcpy(wanted.data(), expected.data(), wanted.size());
  const std::string name = std::string(fp16 ? "fp16" : "bf16") + (Probe::k_major ? "_k" : "_mn") +
                           "_span" + std::to_string(static_cast<int>(S)) + "_depth" +
                           std::to_string(K);
  return {.name = name, .found = out.read(), .expected = std::move(wanted)};
}

/// Every swizzle and depth of one type and major: a span must fit into a row.
template <class T, isa::Major M>
std::vector<TileResult> run_tiles(uint64_t seed);

}  // namespace warpline::tests::inline WARPLINE_TARGET
