// The ladder's configuration space, declared once: the build makes a compile unit of each survivor.
#pragma once

#include <algorithm>
#include <boost/hana/adapt_struct.hpp>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "samples/ladder/plan.h"
#include "tuner/space.h"

namespace ladder::inline WARPLINE_TARGET {

// [point]
struct Point {
  int version;
  int stages;
  int block_m;
  int block_n;
  int block_k;

  constexpr LadderConfig config() const { return {stages, block_m, block_n, block_k}; }
  friend constexpr bool operator==(const Point&, const Point&) = default;
};
// [point]

// [space]
inline constexpr auto product = tuner::space<Point>(
    tuner::parameter<"version">(0, 1, 2, 3, 4, 5),
    tuner::parameters<"block_m", "block_n">(
        {{128, 64}, {128, 128}, {128, 256}, {256, 128}, {256, 256}, {64, 256}, {128, 192}}),
    tuner::parameter<"block_k">(16, 32, 64), tuner::parameter<"stages">(1, 2, 3, 4, 5, 6, 7));

constexpr bool plan_of(const Point& point) {
  // The last two tiles are tried by the fast versions only, with the block_k that wins elsewhere;
  // 64 x 256, of which two CTAs fit on a multiprocessor, by all that are warp-specialised.
  const int first_extra = point.block_m == 64 ? 3 : point.block_n == 192 ? 4 : 0;
  if (first_extra != 0 && (point.version < first_extra || point.block_k != 64)) {
    return false;
  }
  return survives(point.version, point.config());
}
// [space]

/// Rows of tiles that v4 and v5 may work on together: an argument at run time.
inline constexpr int rasters[] = {4, 8, 16};

/// A configuration and its raster, for the versions that have one (else 0).
struct Choice {
  Point point;
  int raster;
};

/// What a call takes that finds nothing tuned; `multiprocessors` of the GPU.
// [heuristic]
constexpr Choice heuristic(int version, std::int64_t m, std::int64_t n, int multiprocessors) {
  const auto tiles = [&](std::int64_t block_m, std::int64_t block_n) {
    return (m + block_m - 1) / block_m * ((n + block_n - 1) / block_n);
  };
  // Smaller tiles where large ones would leave multiprocessors idle.
  const bool few = tiles(128, 128) < multiprocessors;
  switch (version) {
    case 0:
    case 1:
      return {{version, 1, 128, version == 1 && few ? 64 : 128, 64}, 0};
    case 2:
      return {{version, few ? 4 : 2, 128, few ? 64 : 128, 64}, 0};
    case 3:
      // One wide multiply for each k step reads less of shared memory than two narrow ones.
      return {few ? Point{version, 4, 128, 64, 64} : Point{version, 2, 64, 256, 64}, 0};
    case 4:
      // One CTA with a deep ring: the multiply in flight fills what a second CTA would.
      return tiles(128, 192) >= multiprocessors
                 ? Choice{{version, 4, 128, 192, 64}, 16}
                 : Choice{{version, few ? 4 : 6, 128, few ? 64 : 128, 64}, 8};
    default:
      return {{version, 4, 128, few ? 64 : tiles(128, 256) < multiprocessors ? 128 : 256, 64}, 16};
  }
}
// [heuristic]

/// What is built unless the whole space is asked for: what the heuristic may choose, small blocks
/// for the simulator's tests, and v3 with v2's tile, for timelines side by side.
constexpr bool in_subset(const Point& point) {
  // Too few tiles for the chip, enough small ones, enough of all.
  for (const std::int64_t extent : {128, 1536, 8192}) {
    if (heuristic(point.version, extent, extent, 132).point == point) {
      return true;
    }
  }
  constexpr Point others[] = {
      {3, 2, 128, 128, 64}, {4, 2, 128, 64, 16}, {5, 3, 128, 64, 32}, {5, 2, 256, 128, 16}};
  return std::find(std::begin(others), std::end(others), point) != std::end(others);
}

}  // namespace ladder::inline WARPLINE_TARGET

BOOST_HANA_ADAPT_STRUCT(ladder::Point, version, stages, block_m, block_n, block_k);
