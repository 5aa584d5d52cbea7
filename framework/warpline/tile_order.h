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

}  // namespace warpline::inline WARPLINE_TARGET
