// What the clusters of a persistent matmul work on: tiles of a batch of problems, the last of them
// (or all) cut along K.
#pragma once

#include <cstdint>

#include "warpline/tile_order.h"

namespace warpline::inline WARPLINE_TARGET {

/// A tile of a whole cluster, and a part of K.
struct WorkItem {
  TileIndex tile;
  int matrix;      ///< of the batch
  int k_first;     ///< in k tiles
  int k_tiles;     ///< 0: nothing to do, in stream-K and part_of alone
  int part;        ///< 0 .. parts - 1; the last one gathers the others' sums
  int parts;       ///< 1: nothing to gather
  int cut_tile;    ///< index among the tiles that are cut
  int first_sums;  ///< place of part 0's sums; the others' follow, or are added there
  bool any_order;  ///< the parts' sums are added up in one place, in the order in which they come
};

/// `total` things for `count` takers, in order; shares differ by one at most.
struct EvenShares {
  int each;
  int longer;
  WARPLINE_HOST_DEVICE EvenShares(int total, int count)
      : each(total / count), longer(total - each * count) {}
  WARPLINE_HOST_DEVICE int begin(int taker) const {
    return taker * each + (taker < longer ? taker : longer);
  }
  WARPLINE_HOST_DEVICE int taker_of(int thing) const {
    const int of_longer = longer * (each + 1);
    return thing < of_longer ? thing / (each + 1) : longer + (thing - of_longer) / each;
  }
};

/// What CTA `rank` of the `ctas` that share an item along K computes of it: the first ones have a k
/// tile more, the last ones perhaps none.
WARPLINE_HOST_DEVICE WorkItem part_of(const WorkItem& item, int rank, int ctas) {
  const EvenShares even{item.k_tiles, ctas};
  WorkItem result = item;
  result.k_first += even.begin(rank);
  result.k_tiles = even.begin(rank + 1) - even.begin(rank);
  return result;
}

/// Tiles in groups of rows, or along Hilbert's curve: `hilbert_side` is 0, or its blocks' side.
struct MatmulTileOrder {
  GroupedRaster grouped;
  int hilbert_side;

  WARPLINE_HOST_DEVICE int count() const { return grouped.count(); }
  WARPLINE_HOST_DEVICE TileIndex at(int index) const {
    return hilbert_side == 0
               ? grouped.at(index)
               : HilbertRaster{grouped.m_tiles, grouped.n_tiles, hilbert_side}.at(index);
  }
};

/// Items 0 .. count() - 1, taken in order: cluster c of `clusters` takes c, c + clusters, ... The
/// first tiles are computed by one cluster each; a whole number of rounds of them, if others are
/// cut. Those are cut in one of two ways:
///
///   parts > 0   K evenly into `parts`, which divide `clusters`: the parts of a tile fall to
///               neighbouring clusters in the same round
///   parts == 0  stream-K (Osama et al., 2023): all k tiles of the cut tiles, in a row, evenly
///               among the clusters. A cluster's share lies in one tile or two; its part of the
///               second tile comes first, so that no cluster waits before it has left its sums.
///
/// Whoever waits, waits only for clusters before it, which wait for nobody until they have left
/// what it waits for. So all go on if clusters start in the order of their indices, however few of
/// them fit on the chip.
struct PersistentSchedule {
  MatmulTileOrder order;
  int batch;
  int k_tiles;
  int clusters;
  int whole_tiles;
  int parts;  ///< k_tiles at most
  /// Of a tile of three parts or more: of two, both orders give the same.
  bool any_order;

  WARPLINE_HOST_DEVICE bool streams() const { return parts == 0; }
  WARPLINE_HOST_DEVICE int tiles() const { return order.count() * batch; }
  WARPLINE_HOST_DEVICE int cut_tiles() const { return tiles() - whole_tiles; }
  WARPLINE_HOST_DEVICE int count() const {
    return whole_tiles + (streams() ? 2 * clusters : cut_tiles() * parts);
  }
  /// Partial sums of a tile that are left at most.
  WARPLINE_HOST_DEVICE int sums() const {
    return streams() ? clusters : cut_tiles() * sums_of_tile();
  }

  WARPLINE_HOST_DEVICE WorkItem at(int index) const {
    if (index < whole_tiles) {
      return item(index, 0, k_tiles, {0, 1, 0});
    }
    if (streams()) {
      return share(index - whole_tiles);
    }
    const int cut = (index - whole_tiles) / parts;
    const int part = index - whole_tiles - cut * parts;
    const EvenShares even{k_tiles, parts};
    return item(whole_tiles + cut, even.begin(part), even.begin(part + 1) - even.begin(part),
                {part, parts, cut * sums_of_tile()});
  }

 private:
  struct Part {
    int part;
    int parts;
    int first_sums;
  };

  WARPLINE_HOST_DEVICE bool adds(int tile_parts) const { return any_order && tile_parts > 2; }
  WARPLINE_HOST_DEVICE int sums_of_tile() const { return adds(parts) ? 1 : parts - 1; }

  WARPLINE_HOST_DEVICE WorkItem item(int tile, int k_first, int k_count, const Part& part) const {
    const int matrix = tile / order.count();
    return {.tile = order.at(tile - matrix * order.count()),
            .matrix = matrix,
            .k_first = k_first,
            .k_tiles = k_count,
            .part = part.part,
            .parts = part.parts,
            .cut_tile = tile - whole_tiles,
            .first_sums = part.first_sums,
            .any_order = adds(part.parts)};
  }

  /// Item `i` of 2 * clusters: in the first round what is left for others, in the second what ends
  /// a tile.
  WARPLINE_HOST_DEVICE WorkItem share(int i) const {
    const bool ends = i >= clusters;
    const int cluster = ends ? i - clusters : i;
    const EvenShares shares(cut_tiles() * k_tiles, clusters);
    const int begin = shares.begin(cluster);
    const int end = shares.begin(cluster + 1);
    const int tile = ends ? begin / k_tiles : (end - 1) / k_tiles;
    const int tile_begin = tile * k_tiles;
    const int tile_end = tile_begin + k_tiles;
    const int from = begin > tile_begin ? begin : tile_begin;
    const int to = end < tile_end ? end : tile_end;
    const int first = shares.taker_of(tile_begin);
    const int last = shares.taker_of(tile_end - 1);
    const bool mine = ends == (to == tile_end);
    return item(whole_tiles + tile, from - tile_begin, mine ? to - from : 0,
                {cluster - first, last - first + 1, first});
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
