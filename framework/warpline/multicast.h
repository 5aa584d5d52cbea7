// Clusters: their shape, and tiles that one load delivers to several of their CTAs.
#pragma once

#include <type_traits>

#include "warpline/isa/cluster.h"
#include "warpline/isa/cluster_shape.h"
#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

enum class ClusterAxis { x, y };

/// A tile that all `Ctas` CTAs along one axis of the cluster need. Each of them loads an equal
/// share of the rows and multicasts it to all, so that global memory is read once.
template <class Tile, ClusterAxis Axis, int Ctas>
struct Multicast : Tile {
  using Base = Tile;
  static constexpr ClusterAxis axis = Axis;
  static constexpr int ctas = Ctas;
  static constexpr int share_rows = Tile::rows / Ctas;
  static_assert(Ctas >= 1 && Ctas <= 8, "a cluster has at most 8 CTAs along an axis");
  static_assert(
      Tile::rows % (8 * Ctas) == 0,
      "each CTA loads a share of a multicast tile's rows: rows must be a multiple of 8 x CTAs");
  static_assert(Tile::boxes_per_slab == 1, "a multicast tile has at most 256 rows");
};

template <class T>
inline constexpr bool is_multicast = false;
template <class Tile, ClusterAxis Axis, int Ctas>
inline constexpr bool is_multicast<Multicast<Tile, Axis, Ctas>> = true;

/// A tile that `Ctas` CTAs along an axis share: by multicast, unless one has it to itself.
template <class Tile, ClusterAxis Axis, int Ctas>
using SharedAlong =
    typename std::conditional_t<Ctas == 1, std::type_identity<Tile>,
                                std::type_identity<Multicast<Tile, Axis, Ctas>>>::type;

/// Bit mask, by cluster rank, of the CTAs along `axis` through this CTA.
template <ClusterShape Shape>
WARPLINE_DEVICE uint16_t ctas_along(ClusterAxis axis) {
  const uint32_t rank = isa::cluster_cta_rank();
  constexpr uint32_t width = Shape.x;
  uint32_t mask = 0;
  if (axis == ClusterAxis::x) {
    mask = ((1u << Shape.x) - 1) << (rank / width * width);
  } else {
    WARPLINE_UNROLL
    for (int i = 0; i < Shape.y; ++i) {
      mask |= 1u << (static_cast<uint32_t>(i) * width);
    }
    mask <<= rank % width;
  }
  return static_cast<uint16_t>(mask);
}

}  // namespace warpline::inline WARPLINE_TARGET
