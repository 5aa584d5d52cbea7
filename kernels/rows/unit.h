// The lines of an operation: units define them (entry.h), a family's table collects them.
#pragma once

#include <vector>

#include "rows/line.h"
#include "rows/row_kernels.h"

namespace warpline::inline WARPLINE_TARGET {

inline constexpr int kernels_per_unit = 6;

/// Kernels First to First + 5, as far as there are.
template <class Op, int First>
struct RowUnit {
  static RowLines lines();
};

/// For aligned rows first, and shorter rows first: the first line that takes the operands and is
/// long enough is the one to take.
template <class Op, int First = 0>
void collect_rows(std::vector<RowLine>& table) {
  if constexpr (First < kernels_of<Op>()) {
    const RowLines lines = RowUnit<Op, First>::lines();
    table.insert(table.end(), lines.first, lines.first + lines.count);
    if (lines.first->type == ElementType::fp16) {
      // The same kernels.
      for (int i = 0; i < lines.count; ++i) {
        table.push_back(lines.first[i]);
        table.back().type = ElementType::bf16;
      }
    }
    collect_rows<Op, First + kernels_per_unit>(table);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
