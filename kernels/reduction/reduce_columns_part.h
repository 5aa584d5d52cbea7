// How a reduction over rows of columns is shared out.
#pragma once

#include <type_traits>

#include "reduction/argmax_op.h"
#include "rows/row_loader.h"

namespace warpline::inline WARPLINE_TARGET {

inline constexpr int reduce_columns_threads = 256;

/// A tile of a segment.
template <class T>
struct ReducePart {
  const T* first;
  int64_t o;
  int64_t segment;
  int64_t first_row;
  int64_t rows;
  int64_t first_column;
  int columns;
};

template <class T>
struct ReduceColumnsArguments {
  RowInput<T> in;
  ReduceExtents extents;
  void* out;
  ReduceOutput out_type;
  ReduceStep step;
  bool root;
  /// Whether a thread has 16 bytes of neighbouring columns, all of which fall on 16 bytes; else
  /// they are `units` columns apart, so that a warp's are neighbours.
  bool at_once;
  /// The rows of a stage follow on each other in memory.
  bool contiguous;
  /// Columns of a tile, threads that have them, and how many each.
  int tile;
  int units;
  int each;
  /// Rows of a stage, and elements from one to the next.
  int rows_per_stage;
  int pitch;
  int64_t tiles;
  /// outer * segments * tiles
  int64_t parts;

  WARPLINE_DEVICE ReducePart<T> part(int64_t index) const {
    const int64_t row_of_tiles = index / tiles;
    ReducePart<T> part;
    part.first_column = (index - row_of_tiles * tiles) * tile;
    part.o = row_of_tiles / extents.segments;
    part.segment = row_of_tiles - part.o * extents.segments;
    part.first_row = part.segment * extents.segment;
    const int64_t rows_left = extents.reduced - part.first_row;
    part.rows = rows_left < extents.segment ? rows_left : extents.segment;
    const int64_t columns_left = extents.inner - part.first_column;
    part.columns = columns_left < tile ? static_cast<int>(columns_left) : tile;
    part.first = in.data + (part.o * extents.x_outer + part.first_row * extents.x_reduced +
                            part.first_column);
    return part;
  }
  /// Row `k` of the part.
  WARPLINE_DEVICE const T* row(const ReducePart<T>& part, int64_t k) const {
    return part.first + k * extents.x_reduced;
  }
  /// Rows of the stage that begins with row `k` of the part.
  WARPLINE_DEVICE int rows_at(const ReducePart<T>& part, int64_t k) const {
    const int64_t left = part.rows - k;
    return left < rows_per_stage ? static_cast<int>(left) : rows_per_stage;
  }
};

/// What the producer does for a part.
template <class T, class End>
WARPLINE_DEVICE void load_columns(const ReduceColumnsArguments<T>& arguments,
                                  const ReducePart<T>& part, End& end) {
  for (int64_t k = 0; k < part.rows; k += arguments.rows_per_stage) {
    const int rows = arguments.rows_at(part, k);
    const int stretches = arguments.contiguous ? 1 : rows;
    const int count = part.columns * (arguments.contiguous ? rows : 1);
    auto slot = end.acquire();
    WARPLINE_NO_UNROLL
    for (int r = 0; r < stretches; ++r) {
      const T* row = arguments.row(part, k + r);
      if (arguments.at_once) {
        slot.load(slot->elements, r * arguments.pitch, row, count);
      } else {
        load_stretch(slot, slot->elements, r * arguments.pitch, row, count, arguments.in);
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
