// The lines of an operation: units define them (entry.h), a family's table collects them.
#pragma once

#include <vector>

#include "rows/line.h"
#include "rows/row_config.h"

namespace warpline::inline WARPLINE_TARGET {

/// Kernels of tiers First and First + 1, with vectors and without.
template <class Op, int First>
struct RowUnit {
  static RowLines lines();
};

/// Shorter rows first, at each length vectors first: the first line that fits is the one to take.
template <class Op, int First = 0>
void collect_rows(std::vector<RowLine>& table) {
  if constexpr (First < row_tiers) {
    const RowLines lines = RowUnit<Op, First>::lines();
    table.insert(table.end(), lines.first, lines.first + lines.count);
    collect_rows<Op, First + 2>(table);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
