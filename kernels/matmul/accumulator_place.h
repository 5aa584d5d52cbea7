// Where the registers of an accumulator lie in D.
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// The first element of a warpgroup's accumulator in D. Its column is even: pairs of columns are
/// accessed at once.
struct OutPlace {
  int row;
  int column;
  int matrix;
};

/// One thread's part of 64 rows x `Columns` columns of an accumulator: its element `index` (of
/// Columns / 2, in the order of Accumulator::value) is element (row(index), column(index)) of D.
template <int Columns>
class AccumulatorPlace {
 public:
  static constexpr int elements = Columns / 2;
  static constexpr int pairs_in_row = Columns / 8;

  /// `rank`: of the thread in its warpgroup. `rows` x `columns`: D's extents.
  WARPLINE_DEVICE AccumulatorPlace(OutPlace at, uint32_t rank, int rows, int columns)
      : row_(at.row + static_cast<int>(rank / 32 * 16 + rank % 32 / 4)),
        column_(at.column + static_cast<int>(rank % 4 * 2)),
        rows_(rows),
        columns_(columns) {}

  WARPLINE_DEVICE int row(int index) const { return row_ + line(index) * 8; }
  WARPLINE_DEVICE int column(int index) const { return column_ + pair(index) * 8 + index % 2; }

  WARPLINE_DEVICE bool row_inside(int index) const { return row(index) < rows_; }
  WARPLINE_DEVICE bool column_inside(int index) const { return column(index) < columns_; }
  WARPLINE_DEVICE bool inside(int index) const { return row_inside(index) && column_inside(index); }

  /// The thread's elements lie in two rows, `line` 0 and 1, in pairs of neighbouring columns.
  static WARPLINE_DEVICE constexpr int line(int index) { return index % 4 / 2; }
  static WARPLINE_DEVICE constexpr int pair(int index) { return index / 4; }
  /// The first element of a pair.
  static WARPLINE_DEVICE constexpr int index_of(int line, int pair) { return pair * 4 + line * 2; }

  WARPLINE_DEVICE int columns() const { return columns_; }

 private:
  int row_;
  int column_;
  int rows_;
  int columns_;
};

}  // namespace warpline::inline WARPLINE_TARGET
