// A tile, or a slice of one, seen as an operand of wgmma: its extents, and the descriptor of each
// 64 x 16 (A) or N x 16 (B) piece. The offsets follow from the tile's type (PTX ISA, "Strides", and
// "Matrix Descriptor Format").
#pragma once

#include "warpline/isa/wgmma.h"
#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

template <Swizzle S>
inline constexpr auto descriptor_layout =
    S == Swizzle::span_128  ? isa::DescriptorLayout::swizzle_128
    : S == Swizzle::span_64 ? isa::DescriptorLayout::swizzle_64
    : S == Swizzle::span_32 ? isa::DescriptorLayout::swizzle_32
                            : isa::DescriptorLayout::none;

/// `Begin` and `Count` select rows of the tile, `ColumnCount` columns; `M` says what its rows are.
/// K-major: rows are M (or N), columns are K. MN-major: rows are K, columns are M (or N).
template <class Tile, isa::Major M, int Begin, int Count, int ColumnCount = Tile::columns>
struct TileOperand {
  using Element = typename Tile::Element;
  static constexpr isa::Major major = M;
  static constexpr int mn = M == isa::Major::k ? Count : ColumnCount;
  static constexpr int k = M == isa::Major::k ? ColumnCount : Count;
  static constexpr int k_step = 32 / static_cast<int>(sizeof(Element));
  static_assert(sizeof(Element) == 2, "this mma multiplies 16-bit elements");
  static_assert(k % k_step == 0, "the K extent of an operand must be a multiple of 16 elements");

  isa::MatrixDescriptor base;

  /// `first_row` is added to `Begin`; `first_slab` counts spans of columns.
  explicit WARPLINE_DEVICE TileOperand(const Tile& tile, int first_row = 0, int first_slab = 0)
      : base(isa::make_descriptor(isa::shared_address(tile.elements), leading_bytes, stride_bytes,
                                  descriptor_layout<Tile::swizzle>)
                 .advanced(static_cast<uint32_t>(first_row * Tile::span_bytes +
                                                 first_slab * Tile::slab_bytes))) {}

  /// The piece that starts at element (mn_begin, k_begin). Both are constants after unrolling.
  WARPLINE_DEVICE isa::MatrixDescriptor at(int mn_begin, int k_begin) const {
    const int row = Begin + (M == isa::Major::k ? mn_begin : k_begin);
    const int column = M == isa::Major::k ? k_begin : mn_begin;
    return base.advanced(static_cast<uint32_t>(
        (column / Tile::span_columns) * Tile::slab_bytes + row * Tile::span_bytes +
        (column % Tile::span_columns) * static_cast<int>(sizeof(Element))));
  }

 private:
  // Distance between groups of 8 rows, and between neighbouring spans of columns (slabs). Which
  // field of the descriptor takes which depends on the layout; a swizzled K-major operand ignores
  // the leading offset.
  static constexpr int group_bytes = 8 * Tile::span_bytes;
  static constexpr bool plain = Tile::swizzle == Swizzle::none;
  static constexpr int leading_bytes = M == isa::Major::k ? (plain ? Tile::slab_bytes : 16)
                                       : plain            ? group_bytes
                                                          : Tile::slab_bytes;
  static constexpr int stride_bytes = M == isa::Major::mn && plain ? Tile::slab_bytes : group_bytes;
};

template <isa::Major M, class T, int Rows, int Columns, Swizzle S>
WARPLINE_DEVICE auto operand(const SharedTile<T, Rows, Columns, S>& tile) {
  return TileOperand<SharedTile<T, Rows, Columns, S>, M, 0, Rows>(tile);
}

template <isa::Major M, class Tile, int Count>
WARPLINE_DEVICE auto operand(const TileRowsFrom<Tile, Count>& slice) {
  return TileOperand<Tile, M, 0, Count>(*slice.tile, slice.begin);
}

template <isa::Major M, class Tile, int Count>
WARPLINE_DEVICE auto operand(const TileColumnsFrom<Tile, Count>& slice) {
  static_assert(M == isa::Major::mn, "a slice of columns is an MN-major operand: say so to mma");
  return TileOperand<Tile, M, 0, Tile::rows, Count>(*slice.tile, 0,
                                                    slice.begin / Tile::span_columns);
}

template <isa::Major M, class Tile, int Begin, int Count>
WARPLINE_DEVICE auto operand(const TileRows<Tile, Begin, Count>& slice) {
  return TileOperand<Tile, M, Begin, Count>(*slice.tile);
}

}  // namespace warpline::inline WARPLINE_TARGET
