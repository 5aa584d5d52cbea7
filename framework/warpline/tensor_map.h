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
};

/// `Tile` fixes box and swizzle, so that a map cannot be used with a tile that it does not fit.
template <class Tile>
struct TensorMap : isa::TensorMapWords {};

/// A row-major matrix in global memory: element (r, c) is data[r * stride + c].
template <class T>
struct MatrixView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
