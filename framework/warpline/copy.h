// Loading a tile whose barrier one keeps oneself. A Pipeline's slots do this, and the bookkeeping
// too.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/trace.h"
#include "warpline/multicast.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

/// Loads the box of `map` whose first element is at `at` into `tile`; its Tile::bytes are counted
/// on `barrier`. Elements outside the matrix arrive as zeros. `at.column` must fall on 16 bytes.
/// One thread.
template <class T, int Rows, int Columns, Swizzle S, int Rank>
WARPLINE_DEVICE void load_tile(SharedTile<T, Rows, Columns, S>& tile,
                               const TensorMap<SharedTile<T, Rows, Columns, S>, Rank>& map,
                               Coordinate at, isa::Mbarrier& barrier,
                               SourceLine where = SourceLine::current()) {
  using Tile = SharedTile<T, Rows, Columns, S>;
  isa::at_line(where);
  isa::trace_moment_of_one(isa::TraceKind::copy_issue, {"load", -1, &barrier}, Tile::bytes);
  auto* bytes = reinterpret_cast<unsigned char*>(tile.elements);
  WARPLINE_UNROLL
  for (int slab = 0; slab < Tile::slabs; ++slab) {
    WARPLINE_UNROLL
    for (int box = 0; box < Tile::boxes_per_slab; ++box) {
      tensor_map_detail::with_coordinates<Rank>(
          at, at.row + box * Tile::box_rows, at.column + slab * Tile::span_columns,
          [&](const auto& coordinates) {
            isa::tensor_load(
                bytes + slab * Tile::slab_bytes + box * Tile::box_rows * Tile::span_bytes, map,
                coordinates, barrier, where);
          });
    }
  }
}

/// This CTA's share of a multicast tile, to all CTAs of the cluster along its axis; each of them
/// counts the whole tile's bytes on its barrier at the same place. One thread of each CTA.
template <ClusterShape Cluster, class Tile, ClusterAxis Axis, int Ctas, int Rank>
WARPLINE_DEVICE void load_tile_share(Multicast<Tile, Axis, Ctas>& tile,
                                     const TensorMap<Multicast<Tile, Axis, Ctas>, Rank>& map,
                                     Coordinate at, isa::Mbarrier& barrier,
                                     SourceLine where = SourceLine::current()) {
  constexpr int share_rows = Multicast<Tile, Axis, Ctas>::share_rows;
  isa::at_line(where);
  isa::trace_moment_of_one(isa::TraceKind::copy_issue, {"load", -1, &barrier}, Tile::bytes / Ctas);
  const auto index = isa::cluster_cta_index();
  const int first_row = static_cast<int>(Axis == ClusterAxis::x ? index.x : index.y) * share_rows;
  const uint16_t mask = ctas_along<Cluster>(Axis);
  auto* bytes = reinterpret_cast<unsigned char*>(tile.elements);
  WARPLINE_UNROLL
  for (int slab = 0; slab < Tile::slabs; ++slab) {
    tensor_map_detail::with_coordinates<Rank>(
        at, at.row + first_row, at.column + slab * Tile::span_columns,
        [&](const auto& coordinates) {
          isa::tensor_load_multicast(bytes + slab * Tile::slab_bytes + first_row * Tile::span_bytes,
                                     map, coordinates, barrier, mask, where);
        });
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
