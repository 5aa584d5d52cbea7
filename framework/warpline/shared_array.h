// SharedArray: contiguous elements in shared memory, filled by bulk copies or by threads; and what
// a Pipeline asks of the members of a Stage.
#pragma once

#include "warpline/isa/memory.h"
#include "warpline/multicast.h"
#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Count` elements, aligned as bulk copies like it.
template <class T, int Count>
struct SharedArray {
  using Element = T;
  static constexpr int count = Count;
  static constexpr int bytes = Count * static_cast<int>(sizeof(T));
  static_assert(Count > 0 && bytes % 16 == 0,
                "a SharedArray is a multiple of 16 bytes, the unit of bulk copies");

  WARPLINE_DEVICE T load(int i, SourceLine where = SourceLine::current()) const {
    return isa::load_shared(elements[i], where);
  }
  WARPLINE_DEVICE void store(int i, T value, SourceLine where = SourceLine::current()) {
    isa::store_shared(elements[i], value, where);
  }

  alignas(128) T elements[Count];
};

template <class M>
inline constexpr bool is_shared_array = false;
template <class T, int Count>
inline constexpr bool is_shared_array<SharedArray<T, Count>> = true;

template <class M>
inline constexpr bool is_copied_tile = is_multicast<M>;
template <class T, int Rows, int Columns, Swizzle S>
inline constexpr bool is_copied_tile<SharedTile<T, Rows, Columns, S>> = true;

template <class M>
inline constexpr int copied_bytes = 0;
template <class T, int Rows, int Columns, Swizzle S>
inline constexpr int copied_bytes<SharedTile<T, Rows, Columns, S>> =
    SharedTile<T, Rows, Columns, S>::bytes;
template <class Tile, ClusterAxis Axis, int Ctas>
inline constexpr int copied_bytes<Multicast<Tile, Axis, Ctas>> = Tile::bytes;

/// What a Stage may consist of: a member of any other kind would not be announced on the barriers.
template <class M>
inline constexpr bool is_stage_member = is_copied_tile<M> || is_shared_array<M>;

template <class M>
constexpr bool multicasts_along(ClusterAxis axis) {
  if constexpr (is_multicast<M>) {
    return M::axis == axis;
  } else {
    return false;
  }
}

template <class M>
constexpr bool multicast_fits(ClusterShape cluster) {
  if constexpr (is_multicast<M>) {
    return M::ctas == (M::axis == ClusterAxis::x ? cluster.x : cluster.y);
  } else {
    return true;
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
