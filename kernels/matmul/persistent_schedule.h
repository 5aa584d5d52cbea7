// What the clusters of a persistent matmul work on: tiles of a batch of problems, the last of them
// (or all) cut along K.
#pragma once

#include <cstdint>

#include "warpline/tile_order.h"

namespace warpline::inline WARPLINE_TARGET {

/// A tile of a whole cluster, and a part of K.
struct WorkItem {
  TileIndex tile;
  int matrix;    ///< of the batch
  int k_first;   ///< in k tiles
  int k_tiles;   ///< 1 at least
  int part;      ///< 0 .. parts - 1; the last one gathers the others' sums
  int parts;     ///< 1: nothing to gather
  int cut_tile;  ///< index among the tiles that are cut
};

/// Items 0 .. count() - 1, taken in order: cluster c of C takes c, c + C, c + 2C, ... C is a
/// multiple of `parts`, and so is `whole_tiles` if tiles are cut: the parts of a tile fall to
/// neighbouring clusters in the same round, and the one that gathers waits only for clusters before
/// it. So all go on if clusters start in the order of their indices, however few of them fit on the
/// chip.
struct PersistentSchedule {
  GroupedRaster order;
  int batch;
  int k_tiles;
  /// The first tiles are computed by one cluster each ...
  int whole_tiles;
  /// ... the others by `parts` clusters, which divide K evenly: parts <= k_tiles.
  int parts;

  WARPLINE_HOST_DEVICE int tiles() const { return order.count() * batch; }
  WARPLINE_HOST_DEVICE int cut_tiles() const { return tiles() - whole_tiles; }
  WARPLINE_HOST_DEVICE int count() const { return whole_tiles + cut_tiles() * parts; }

  WARPLINE_HOST_DEVICE WorkItem at(int index) const {
    const bool whole = index < whole_tiles;
    const int cut = whole ? 0 : (index - whole_tiles) / parts;
    const int part = whole ? 0 : index - whole_tiles - cut * parts;
    const int tile = whole ? index : whole_tiles + cut;
    const int matrix = tile / order.count();
    const int pieces = whole ? 1 : parts;
    // Parts differ by one k tile at most.
    const int each = k_tiles / pieces;
    const int longer = k_tiles - each * pieces;
    return {.tile = order.at(tile - matrix * order.count()),
            .matrix = matrix,
            .k_first = part * each + (part < longer ? part : longer),
            .k_tiles = each + (part < longer ? 1 : 0),
            .part = part,
            .parts = pieces,
            .cut_tile = cut};
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
