// What a kernel of rows is given, and how its CTAs share it out.
#pragma once

#include "rows/row_config.h"
#include "rows/row_loader.h"
#include "warpline/isa/cluster.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Op, RowConfig Config>
struct RowArguments {
  using T = typename Op::Element;

  RowInput<T> in[Op::inputs];
  int64_t rows;
  int64_t columns;
  /// Columns of one CTA of the cluster.
  int64_t part;
  /// Many rows in a stage: how many, and elements from one to the next in shared memory.
  int rows_per_stage;
  int pitch;
  /// Whether the rows of a stage follow on each other in memory, in each input.
  bool contiguous;
  typename Op::Arguments op;

  /// Many rows in a stage; CTAs take stages in turn.
  WARPLINE_DEVICE int64_t first_stage_row() const {
    return int64_t{isa::block_index().x} * rows_per_stage;
  }
  WARPLINE_DEVICE int64_t stage_row_step() const {
    return int64_t{isa::grid_size().x} * rows_per_stage;
  }
  /// Of the stage that begins with row `first`.
  WARPLINE_DEVICE int rows_of_stage(int64_t first) const {
    const int64_t left = rows - first;
    return left < rows_per_stage ? static_cast<int>(left) : rows_per_stage;
  }

  /// A row for a cluster; clusters take rows in turn, and each CTA its part of them.
  static WARPLINE_DEVICE int64_t first_row() {
    return isa::block_index().x / static_cast<uint32_t>(Config.cluster);
  }
  static WARPLINE_DEVICE int64_t row_step() {
    return isa::grid_size().x / static_cast<uint32_t>(Config.cluster);
  }
  WARPLINE_DEVICE int64_t part_begin() const {
    return Config.cluster == 1 ? 0 : isa::cluster_cta_rank() * part;
  }
  WARPLINE_DEVICE int part_columns() const {
    const int64_t left = columns - part_begin();
    return static_cast<int>(left < 0 ? 0 : left < part ? left : part);
  }

  /// Elements by which a stretch of input `i` is behind the 16 bytes that it is loaded to.
  WARPLINE_DEVICE int shift(int i, int64_t row, int64_t column) const {
    return Config.vector > 1 ? 0 : misalignment(in[i].row(row) + column);
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
