// TensorMap: a matrix in global memory as the copy engine sees it, cut into the boxes of one tile
// type. Made on the host (make_tensor_map.h), passed in a kernel's Arguments.
#pragma once

#include "warpline/isa/tensor_copy.h"
#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

/// A place in a matrix, in elements.
struct Coordinate {
  int32_t row = 0;
  int32_t column = 0;
  /// Which matrix of a batch: maps of rank 3 only.
  int32_t matrix = 0;
};

/// `Tile` fixes box and swizzle, so that a map cannot be used with a tile that it does not fit.
/// Rank 2: a matrix; rank 3: matrices of the same extents, the same distance apart.
template <class Tile, int Rank = 2>
struct TensorMap : isa::TensorMapWords {
  static_assert(Rank == 2 || Rank == 3, "a map of tiles has rank 2 (a matrix) or 3 (a batch)");
};

namespace tensor_map_detail {

/// Calls `copy` with what the copy engine takes for the box at (row, column) of `at`'s matrix.
template <int Rank, class Copy>
WARPLINE_DEVICE void with_coordinates(Coordinate at, int row, int column, Copy copy) {
  if constexpr (Rank == 2) {
    const int32_t coordinates[] = {column, row};
    copy(coordinates);
  } else {
    const int32_t coordinates[] = {column, row, at.matrix};
    copy(coordinates);
  }
}

}  // namespace tensor_map_detail

/// A row-major matrix in global memory: element (r, c) is data[r * stride + c].
template <class T>
struct MatrixView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
