// From accumulators to a tile in shared memory, by stmatrix.
#pragma once

#include "warpline/epilogue.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/stmatrix.h"
#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

namespace tile_store_detail {

/// A 16 x 8 piece of one warp's rows: its two registers (rows 0-7 and 8-15), rounded and packed.
template <class T, int M, int N>
WARPLINE_DEVICE void pack_piece(uint32_t* fragment, const Accumulator<M, N>& accumulator, int block,
                                int column, SourceLine where) {
  WARPLINE_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int index = column / 8 * 4 + half * 2;
    fragment[half] = epilogue_detail::packed<T>(accumulator.value(block, index, where),
                                                accumulator.value(block, index + 1, where));
  }
}

}  // namespace tile_store_detail

/// Rounds a part of one warpgroup's accumulator to the tile's 16-bit type and writes it to the
/// tile: columns from `FirstColumn`, rows from `FirstRow` on. `rank` is the thread's index in its
/// warpgroup. The swizzle keeps the eight rows of each 8 x 8 matrix in different banks.
template <int FirstColumn, int FirstRow = 0, class Tile, int M, int N>
WARPLINE_DEVICE void write_tile(Tile& tile, const Accumulator<M, N>& accumulator, uint32_t rank,
                                SourceLine where = SourceLine::current()) {
  static_assert(sizeof(typename Tile::Element) == 2, "stmatrix writes 16-bit elements");
  static_assert(FirstRow % 64 == 0 && Tile::rows % 64 == 0 && FirstRow + Tile::rows <= M,
                "the tile's rows must be 64-row blocks of the accumulator");
  static_assert(FirstColumn % 8 == 0 && Tile::columns % 8 == 0 && FirstColumn + Tile::columns <= N,
                "the tile's columns must be 8-column pieces of the accumulator");
  isa::at_line(where);
  const isa::TraceTime begin = isa::trace_now();
  const int warp_row = static_cast<int>(rank / 32 * 16);
  const int matrix = static_cast<int>(rank % 32 / 8);
  const int row = warp_row + matrix % 2 * 8 + static_cast<int>(rank % 8);
  constexpr int columns_in_pairs = Tile::columns / 16 * 16;
  WARPLINE_UNROLL
  for (int block = 0; block < Tile::rows / 64; ++block) {
    WARPLINE_UNROLL
    for (int column = 0; column < columns_in_pairs; column += 16) {
      // Matrices 0, 1: rows 0-7, 8-15 of the first eight columns; 2, 3: of the next eight.
      uint32_t fragment[4];
      WARPLINE_UNROLL
      for (int piece = 0; piece < 2; ++piece) {
        tile_store_detail::pack_piece<typename Tile::Element>(
            fragment + piece * 2, accumulator, FirstRow / 64 + block,
            FirstColumn + column + piece * 8, where);
      }
      isa::stmatrix(tile.chunk(block * 64 + row, column + matrix / 2 * 8), fragment, where);
    }
    if constexpr (columns_in_pairs < Tile::columns) {
      uint32_t fragment[2];
      tile_store_detail::pack_piece<typename Tile::Element>(
          fragment, accumulator, FirstRow / 64 + block, FirstColumn + columns_in_pairs, where);
      isa::stmatrix(tile.chunk(block * 64 + row, columns_in_pairs), fragment, where);
    }
  }
  isa::trace_span(isa::TraceKind::epilogue, {"write tile"}, begin);
}

/// The same with rows for columns: the tile's rows are columns of the accumulator, from
/// `FirstColumn` on, its 64 columns a 64-row block from `FirstRow` on.
template <int FirstColumn, int FirstRow = 0, class Tile, int M, int N>
WARPLINE_DEVICE void write_tile_transposed(Tile& tile, const Accumulator<M, N>& accumulator,
                                           uint32_t rank,
                                           SourceLine where = SourceLine::current()) {
  static_assert(sizeof(typename Tile::Element) == 2, "stmatrix writes 16-bit elements");
  static_assert(FirstRow % 64 == 0 && Tile::columns == 64 && FirstRow + 64 <= M,
                "the tile's columns must be one 64-row block of the accumulator");
  static_assert(FirstColumn % 8 == 0 && Tile::rows % 8 == 0 && FirstColumn + Tile::rows <= N,
                "the tile's rows must be 8-column pieces of the accumulator");
  isa::at_line(where);
  const isa::TraceTime begin = isa::trace_now();
  const int warp_column = static_cast<int>(rank / 32 * 16);
  const int matrix = static_cast<int>(rank % 32 / 8);
  const int column = warp_column + matrix % 2 * 8;
  const int row = matrix / 2 * 8 + static_cast<int>(rank % 8);
  constexpr int rows_in_pairs = Tile::rows / 16 * 16;
  WARPLINE_UNROLL
  for (int piece_row = 0; piece_row < rows_in_pairs; piece_row += 16) {
    uint32_t fragment[4];
    WARPLINE_UNROLL
    for (int piece = 0; piece < 2; ++piece) {
      tile_store_detail::pack_piece<typename Tile::Element>(
          fragment + piece * 2, accumulator, FirstRow / 64, FirstColumn + piece_row + piece * 8,
          where);
    }
    isa::stmatrix<4, true>(tile.chunk(piece_row + row, column), fragment, where);
  }
  if constexpr (rows_in_pairs < Tile::rows) {
    uint32_t fragment[2];
    tile_store_detail::pack_piece<typename Tile::Element>(fragment, accumulator, FirstRow / 64,
                                                          FirstColumn + rows_in_pairs, where);
    isa::stmatrix<2, true>(tile.chunk(rows_in_pairs + static_cast<int>(rank % 8), column), fragment,
                           where);
  }
  isa::trace_span(isa::TraceKind::epilogue, {"write tile"}, begin);
}

}  // namespace warpline::inline WARPLINE_TARGET
