// The lines of the backward pass: units define them (norm_backward_entry.h).
#pragma once

#include <vector>

#include "normalization/norm_backward_config.h"
#include "rows/line.h"

namespace warpline::inline WARPLINE_TARGET {

inline constexpr int norm_backward_kernels_per_unit = 6;

/// Kernels First and above, as many as a unit has.
template <class T, int First>
struct NormBackwardUnit {
  static RowLines lines();
};

/// For aligned rows first, and shorter rows first.
template <class T, int First = 0>
void collect_norm_backward(std::vector<RowLine>& table) {
  if constexpr (First < norm_backward_kernels) {
    const RowLines lines = NormBackwardUnit<T, First>::lines();
    for (int i = 0; i < lines.count; ++i) {
      table.push_back(lines.first[i]);
      if (lines.first[i].type == ElementType::fp16) {
        table.push_back(lines.first[i]);
        table.back().type = ElementType::bf16;  // the same kernel
      }
    }
    collect_norm_backward<T, First + norm_backward_kernels_per_unit>(table);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
