// SharedTile: a matrix in shared memory whose type fixes everything that the copy engine and wgmma
// must agree on.
#pragma once

#include <cstdint>

#include "warpline/isa/annotate.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/wgmma.h"

namespace warpline::inline WARPLINE_TARGET {

/// How the 16-byte chunks of a row are permuted, so that a column of rows does not hit one bank.
/// The value is the span in bytes within which they move. `none` stores 16-byte columns one after
/// the other.
enum class Swizzle { none = 16, span_32 = 32, span_64 = 64, span_128 = 128 };

/// The widest swizzle that a row of `columns` elements fills.
template <class T>
constexpr Swizzle widest_swizzle(int columns) {
  const int bytes = columns * static_cast<int>(sizeof(T));
  return bytes % 128 == 0  ? Swizzle::span_128
         : bytes % 64 == 0 ? Swizzle::span_64
         : bytes % 32 == 0 ? Swizzle::span_32
                           : Swizzle::none;
}

/// The swizzle moves a chunk by the row's low bits: XOR of address bits 4.. with bits 7..
/// (measured: it follows the absolute shared address, hence the alignment of tiles).
template <Swizzle S>
WARPLINE_HOST_DEVICE constexpr uint32_t swizzled(uint32_t byte_offset) {
  constexpr uint32_t mask = static_cast<uint32_t>(S) / 16 - 1;
  return byte_offset ^ (((byte_offset >> 7) & mask) << 4);
}

/// `Rows` x `Columns` elements, columns contiguous in global memory. A row wider than the swizzle's
/// span is stored as slabs: the first span's columns of all rows, then the next. Each slab is one
/// box of the copy engine (or several, if it has more than 256 rows).
template <class T, int Rows, int Columns, Swizzle S = widest_swizzle<T>(Columns)>
struct SharedTile {
  using Element = T;
  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr Swizzle swizzle = S;
  static constexpr int span_bytes = static_cast<int>(S);
  static constexpr int span_columns = span_bytes / static_cast<int>(sizeof(T));
  static constexpr int slabs = Columns / span_columns;
  static constexpr int slab_bytes = Rows * span_bytes;
  static constexpr int bytes = Rows * Columns * static_cast<int>(sizeof(T));
  static constexpr int alignment = S == Swizzle::none ? 128 : 8 * span_bytes;

  static constexpr int boxes_per_slab = (Rows + 255) / 256;
  static constexpr int box_rows = Rows / boxes_per_slab;
  static constexpr int box_columns = span_columns;

  static_assert(Rows > 0 && Columns > 0, "a tile has at least one row and one column");
  static_assert(
      Columns % span_columns == 0,
      "the tile's columns must fill the swizzle's span: choose more columns or a narrower Swizzle");
  static_assert(Rows % boxes_per_slab == 0 && (boxes_per_slab == 1 || box_rows % 8 == 0),
                "a tile of more than 256 rows is split into equal boxes of a multiple of 8 rows");
  static_assert(slabs == 1 || Rows % 8 == 0,
                "a tile wider than the swizzle's span needs a multiple of 8 rows, or its second "
                "slab would not "
                "be aligned to the swizzle's pattern");

  /// Byte offset of an element within the tile.
  static WARPLINE_HOST_DEVICE constexpr uint32_t offset(int row, int column) {
    const int slab = column / span_columns;
    const int within = column % span_columns;
    return swizzled<S>(static_cast<uint32_t>(slab * slab_bytes + row * span_bytes +
                                             within * static_cast<int>(sizeof(T))));
  }

  /// Ordinary access to one element. Before the copy engine or wgmma use what was written here, a
  /// proxy fence and a synchronisation are due; a Pipeline's hand-over includes both.
  WARPLINE_DEVICE T load(int row, int column, SourceLine where = SourceLine::current()) const {
    return isa::load_shared(elements[offset(row, column) / sizeof(T)], where);
  }
  WARPLINE_DEVICE void store(int row, int column, T value,
                             SourceLine where = SourceLine::current()) {
    isa::store_shared(elements[offset(row, column) / sizeof(T)], value, where);
  }

  /// The 16 bytes that start at element (row, column), as stmatrix takes them. `column` is a
  /// multiple of 16 bytes.
  WARPLINE_DEVICE void* chunk(int row, int column) {
    return reinterpret_cast<unsigned char*>(elements) + offset(row, column);
  }

  /// The rows `Begin` to `Begin + Count`, as an operand of mma.
  template <int Begin, int Count>
  WARPLINE_DEVICE auto row_slice() const;

  /// The same with a first row known at run time, a multiple of 8: a warpgroup's share, say.
  template <int Count>
  WARPLINE_DEVICE auto row_slice(int begin, SourceLine where = SourceLine::current()) const;

  /// Some columns of a tile that is an MN-major operand, `Count` from `begin` on: both are
  /// multiples of the swizzle's span.
  template <int Count>
  WARPLINE_DEVICE auto column_slice(int begin, SourceLine where = SourceLine::current()) const;

  alignas(alignment) T elements[Rows * Columns];
};

/// Some rows of a SharedTile. Starts at a multiple of 8 rows, where the swizzle's pattern starts
/// over.
template <class Tile, int Begin, int Count>
struct TileRows {
  static_assert(Begin % 8 == 0 && Count % 8 == 0,
                "a slice of a tile starts and ends at multiples of 8 rows, where the swizzle's "
                "pattern repeats");
  static_assert(Begin >= 0 && Count > 0 && Begin + Count <= Tile::rows,
                "the slice leaves the tile");
  const Tile* tile;
};

template <class Tile, int Count>
struct TileRowsFrom {
  static_assert(Count % 8 == 0 && Count > 0 && Count <= Tile::rows,
                "a slice of a tile is a multiple of 8 of its rows");
  const Tile* tile;
  int begin;
};

template <class Tile, int Count>
struct TileColumnsFrom {
  static_assert(Count % Tile::span_columns == 0 && Count > 0 && Count <= Tile::columns,
                "a slice of a tile's columns is a multiple of its swizzle's span");
  const Tile* tile;
  int begin;
};

template <class T, int Rows, int Columns, Swizzle S>
template <int Count>
WARPLINE_DEVICE auto SharedTile<T, Rows, Columns, S>::column_slice(int begin,
                                                                   SourceLine where) const {
  isa::at_line(where);
  isa::require_slice(
      begin % span_columns == 0 && begin >= 0 && begin + Count <= Columns,
      "a slice of a tile's columns starts at a multiple of its swizzle's span and stays in the "
      "tile");
  return TileColumnsFrom<SharedTile, Count>{this, begin};
}

template <class T, int Rows, int Columns, Swizzle S>
template <int Count>
WARPLINE_DEVICE auto SharedTile<T, Rows, Columns, S>::row_slice(int begin, SourceLine where) const {
  isa::at_line(where);
  isa::require_slice(begin % 8 == 0 && begin >= 0 && begin + Count <= Rows,
                     "a slice of a tile starts at a multiple of 8 rows and stays in the tile");
  return TileRowsFrom<SharedTile, Count>{this, begin};
}

template <class T, int Rows, int Columns, Swizzle S>
template <int Begin, int Count>
WARPLINE_DEVICE auto SharedTile<T, Rows, Columns, S>::row_slice() const {
  return TileRows<SharedTile, Begin, Count>{this};
}

}  // namespace warpline::inline WARPLINE_TARGET
