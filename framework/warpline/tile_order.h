// In which order the tiles of a matrix are worked on.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

struct TileIndex {
  int m;
  int n;
};

/// Groups of `group_rows` tile rows, column by column within a group: the CTAs that run together
/// then share few rows of A and few of B, and find them in the L2 cache.
struct GroupedRaster {
  int m_tiles;
  int n_tiles;
  int group_rows;

  WARPLINE_HOST_DEVICE int count() const { return m_tiles * n_tiles; }

  WARPLINE_HOST_DEVICE TileIndex at(int index) const {
    const int per_group = group_rows * n_tiles;
    const int group = index / per_group;
    const int first = group * group_rows;
    const int rows = m_tiles - first < group_rows ? m_tiles - first : group_rows;
    const int within = index - group * per_group;
    return {first + within % rows, within / rows};
  }
};

/// Blocks of `side` x `side` tiles, a power of two, row by row; within a block the tiles follow
/// Hilbert's curve (1891), on which neighbours in time are neighbours in both directions. Blocks
/// that the edges cut are walked column by column.
struct HilbertRaster {
  int m_tiles;
  int n_tiles;
  int side;

  WARPLINE_HOST_DEVICE int count() const { return m_tiles * n_tiles; }

  WARPLINE_HOST_DEVICE TileIndex at(int index) const {
    const int band = index / (side * n_tiles);
    const int first_m = band * side;
    const int rows = m_tiles - first_m < side ? m_tiles - first_m : side;
    const int in_band = index - first_m * n_tiles;
    const int block = in_band / (rows * side);
    const int first_n = block * side;
    const int columns = n_tiles - first_n < side ? n_tiles - first_n : side;
    int step = in_band - rows * first_n;
    if (rows < side || columns < side) {
      return {first_m + step % rows, first_n + step / rows};
    }
    // From the smallest squares to the largest: a quarter is turned as its place in the curve says.
    int m = 0;
    int n = 0;
    for (int half = 1; half < side; half *= 2, step /= 4) {
      const int right = (step / 2) % 2;
      const int down = (step % 2) ^ right;
      if (down == 0) {
        const int before = right == 1 ? half - 1 - m : m;
        m = right == 1 ? half - 1 - n : n;
        n = before;
      }
      n += half * right;
      m += half * down;
    }
    return {first_m + m, first_n + n};
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
