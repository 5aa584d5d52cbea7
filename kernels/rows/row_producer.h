// The producer of a kernel of rows: what it loads into which stage.
#pragma once

#include "rows/row_arguments.h"

namespace warpline::inline WARPLINE_TARGET {

/// A stage has `rows_per_stage` rows: one copy, or one for each row.
template <class Kernel, class End>
WARPLINE_DEVICE void load_rows(const typename Kernel::Arguments& arguments, End& end) {
  const auto columns = static_cast<int>(arguments.columns);
  for (int64_t first = arguments.first_stage_row(); first < arguments.rows;
       first += arguments.stage_row_step()) {
    const int rows = arguments.rows_of_stage(first);
    auto slot = end.acquire();
    WARPLINE_UNROLL
    for (int i = 0; i < Kernel::inputs; ++i) {
      const auto& input = arguments.in[i];
      if (arguments.contiguous) {
        load_stretch(slot, slot->elements, i * Kernel::plane, input.row(first), rows * columns,
                     input);
      } else {
        WARPLINE_NO_UNROLL
        for (int r = 0; r < rows; ++r) {
          load_stretch(slot, slot->elements, i * Kernel::plane + r * arguments.pitch,
                       input.row(first + r), columns, input);
        }
      }
    }
  }
}

/// The CTA's part of a row, in stages of `stage_elements`.
template <class Kernel, class End>
WARPLINE_DEVICE void load_parts(const typename Kernel::Arguments& arguments, End& end) {
  constexpr int stage = Kernel::stage_elements;
  const int columns = arguments.part_columns();
  for (int64_t row = arguments.first_row(); row < arguments.rows; row += arguments.row_step()) {
    WARPLINE_NO_UNROLL
    for (int at = 0; at < columns; at += stage) {
      auto slot = end.acquire();
      WARPLINE_UNROLL
      for (int i = 0; i < Kernel::inputs; ++i) {
        const auto& input = arguments.in[i];
        load_stretch(slot, slot->elements, i * Kernel::plane,
                     input.row(row) + arguments.part_begin() + at,
                     columns - at < stage ? columns - at : stage, input);
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
