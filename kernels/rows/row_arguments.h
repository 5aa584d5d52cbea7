// What a kernel of rows is given, and how its CTAs share it out.
#pragma once

#include "rows/row_config.h"
#include "rows/row_loader.h"
#include "rows/row_shares.h"
#include "warpline/isa/cluster.h"
#include "warpline/isa/opaque.h"

namespace warpline::inline WARPLINE_TARGET {

/// The columns of a row that a CTA has: `end` of them, from column `first` on.
struct RowPart {
  int first;
  int end;
};

template <class Op, RowConfig Config>
struct RowArguments {
  using T = typename Op::Element;

  RowInput<T> in[Op::max_inputs];
  int64_t rows;
  int columns;
  /// How many inputs there are, and whether T of 16 bits stands for bf16.
  int inputs;
  bool bf16;
  /// Columns of one CTA of the cluster.
  int part;
  /// Many rows in a stage: how many, elements from one to the next in shared memory, and from an
  /// input's first row to the next input's.
  int rows_per_stage;
  int pitch;
  int plane;
  /// Whether the rows of a stage follow on each other in memory, in each input.
  bool contiguous;
  /// A unit is a stage of many rows, or a row of a CTA or a cluster.
  RowShares shares;
  typename Op::Arguments op;

  /// body(unit) for the units of this CTA (and its cluster).
  template <class Body>
  WARPLINE_DEVICE void for_each_unit(Body body) const {
    const UnitShare share = shares.share(
        static_cast<int>(isa::block_index().x / static_cast<uint32_t>(Config.cluster)));
    for (int unit = share.first; unit < share.end; unit += shares.resident) {
      body(unit);
    }
  }

  /// Of the stage that begins with row `first`.
  WARPLINE_DEVICE int rows_of_stage(int64_t first) const {
    const int64_t left = rows - first;
    return left < rows_per_stage ? static_cast<int>(left) : rows_per_stage;
  }

  /// Of a row that a cluster has, each CTA takes its part.
  WARPLINE_DEVICE RowPart part_of_row() const {
    if constexpr (Config.cluster == 1) {
      // A number that the compiler does not know: else it computes what follows from columns before
      // the loop over rows, and spills it.
      return {static_cast<int>(isa::opaque(0)), columns};
    } else {
      const int first = static_cast<int>(isa::cluster_cta_rank()) * part;
      const int left = columns - first;
      return {first, left < 0 ? 0 : left < part ? left : part};
    }
  }

  /// Elements by which column `column` of a row is behind 16 bytes, in memory and in a stage.
  WARPLINE_DEVICE int shift(int input, int64_t row, int column) const {
    return misalignment(in[input].row(row) + column);
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
