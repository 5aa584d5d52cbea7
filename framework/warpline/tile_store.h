// From accumulators to a tile in shared memory, by stmatrix.
#pragma once

#include "warpline/epilogue.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/stmatrix.h"
#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

/// Rounds the columns [FirstColumn, FirstColumn + Tile::columns) of one warpgroup's accumulator to
/// the tile's 16-bit type and writes them to the tile, whose rows are the accumulator's. `rank` is
/// the thread's index in its warpgroup. The swizzle keeps the eight rows of each 8 x 8 matrix in
/// different banks.
template <int FirstColumn, class Tile, int M, int N>
WARPLINE_DEVICE void write_tile(Tile& tile, const Accumulator<M, N>& accumulator, uint32_t rank,
                                SourceLine where = SourceLine::current()) {
  static_assert(sizeof(typename Tile::Element) == 2, "stmatrix writes 16-bit elements");
  static_assert(Tile::rows == M, "the tile must have the accumulator's rows");
  static_assert(
      FirstColumn % 16 == 0 && Tile::columns % 16 == 0 && FirstColumn + Tile::columns <= N,
      "the tile's columns must be 16-column pieces of the accumulator");
  isa::at_line(where);
  const isa::TraceTime begin = isa::trace_now();
  const int warp_row = static_cast<int>(rank / 32 * 16);
  const int matrix = static_cast<int>(rank % 32 / 8);
  const int row = warp_row + matrix % 2 * 8 + static_cast<int>(rank % 8);
  WARPLINE_UNROLL
  for (int block = 0; block < M / 64; ++block) {
    WARPLINE_UNROLL
    for (int column = 0; column < Tile::columns; column += 16) {
      uint32_t fragment[4];
      WARPLINE_UNROLL
      for (int i = 0; i < 4; ++i) {
        // Matrices 0, 1: rows 0-7, 8-15 of the first eight columns; 2, 3: of the next eight.
        const int index = (FirstColumn + column) / 8 * 4 + i / 2 * 4 + i % 2 * 2;
        fragment[i] = epilogue_detail::packed<typename Tile::Element>(
            accumulator.value(block, index, where), accumulator.value(block, index + 1, where));
      }
      isa::stmatrix(tile.chunk(block * 64 + row, column + matrix / 2 * 8), fragment, where);
    }
  }
  isa::trace_span(isa::TraceKind::epilogue, {"write tile"}, begin);
}

}  // namespace warpline::inline WARPLINE_TARGET
