// One of the units that share out the tile types.
#pragma once

#include "tests/differential/tile_probe.h"

namespace warpline::tests::inline WARPLINE_TARGET {

template <class T, isa::Major M, int K>
void run_swizzles(uint64_t seed, std::vector<TileResult>& results) {
  constexpr int row_bytes = M == isa::Major::k ? K * 2 : product_extent * 2;
  const Stream stream = one_stream(seed + K / 16);
  results.push_back(run_tile<T, Swizzle::none, M, K>(stream));
  results.push_back(run_tile<T, Swizzle::span_32, M, K>(stream));
  if constexpr (row_bytes >= 64) {
    results.push_back(run_tile<T, Swizzle::span_64, M, K>(stream));
  }
  if constexpr (row_bytes >= 128) {
    results.push_back(run_tile<T, Swizzle::span_128, M, K>(stream));
  }
}

template <class T, isa::Major M>
std::vector<TileResult> run_tiles(uint64_t seed) {
  std::vector<TileResult> results;
  run_swizzles<T, M, 16>(seed, results);
  run_swizzles<T, M, 32>(seed, results);
  run_swizzles<T, M, 64>(seed, results);
  run_swizzles<T, M, 128>(seed, results);
  return results;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
