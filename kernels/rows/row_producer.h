// The producer of a kernel of rows: what it loads into which stage.
#pragma once

#include "rows/row_arguments.h"

namespace warpline::inline WARPLINE_TARGET {

/// A stage has `rows_per_stage` rows of each input: one copy, or one for each row.
template <class Kernel, class End>
WARPLINE_DEVICE void load_rows(const typename Kernel::Arguments& arguments, End& end) {
  arguments.for_each_unit([&](int unit) {
    const int64_t first = int64_t{unit} * arguments.rows_per_stage;
    const int rows = arguments.rows_of_stage(first);
    auto slot = end.acquire();
    WARPLINE_NO_UNROLL
    for (int i = 0; i < arguments.inputs; ++i) {
      const auto& input = arguments.in[i];
      const int stretches = arguments.contiguous ? 1 : rows;
      const int count = arguments.columns * (arguments.contiguous ? rows : 1);
      WARPLINE_NO_UNROLL
      for (int r = 0; r < stretches; ++r) {
        load_stretch(slot, slot->elements, i * arguments.plane + r * arguments.pitch,
                     input.row(first + r), count, input);
      }
    }
  });
}

/// The CTA's part of a row, in stages of `stage_elements`; each input's stage for itself.
template <class Kernel, class End>
WARPLINE_DEVICE void load_parts(const typename Kernel::Arguments& arguments, End& end) {
  constexpr int stage = Kernel::stage_elements;
  const RowPart part = arguments.part_of_row();
  arguments.for_each_unit([&](int row) {
    WARPLINE_NO_UNROLL
    for (int at = 0; at < part.end; at += stage) {
      const int count = part.end - at < stage ? part.end - at : stage;
      WARPLINE_NO_UNROLL
      for (int i = 0; i < arguments.inputs; ++i) {
        auto slot = end.acquire();
        const auto& input = arguments.in[i];
        load_stretch(slot, slot->elements, 0, input.row(row) + (part.first + at), count, input);
      }
    }
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
