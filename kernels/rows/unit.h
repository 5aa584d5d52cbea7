// The lines of an operation: units define them (entry.h), a family's table collects them.
#pragma once

#include <vector>

#include "rows/line.h"
#include "rows/row_config.h"

namespace warpline::inline WARPLINE_TARGET {

inline constexpr int tiers_per_unit = 3;

/// Kernels of tiers First to First + 2, as far as there are.
template <class Op, int First>
struct RowUnit {
  static RowLines lines();
};

/// Shorter rows first: the first line that is long enough is the one to take.
template <class Op, int First = 0>
void collect_rows(std::vector<RowLine>& table) {
  if constexpr (First < tiers_of<Op>()) {
    const RowLines lines = RowUnit<Op, First>::lines();
    table.insert(table.end(), lines.first, lines.first + lines.count);
    if (lines.first->type == ElementType::fp16) {
      // The same kernels.
      for (int i = 0; i < lines.count; ++i) {
        table.push_back(lines.first[i]);
        table.back().type = ElementType::bf16;
      }
    }
    collect_rows<Op, First + tiers_per_unit>(table);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
