// What the kernel of the backward pass is told beside its rows. Knows neither target.
#pragma once

#include "rows/typed_rows.h"

namespace warpline {

/// The kernel of longer rows has no registers for sums of dy.
inline constexpr int norm_backward_bias_capacity = 131072;

struct NormBackwardArguments {
  TypedRows dx;
  /// One row; null: ones.
  TypedRows weight;
  /// One fp32 element for each row: 1 / sqrt(...), and LayerNorm's mean.
  const float* rstd = nullptr;
  const float* mean = nullptr;
  /// A row of fp32 sums for each group of CTAs that shares rows (a CTA or a cluster), if not null.
  float* dweight = nullptr;
  float* dbias = nullptr;
  /// 1 / columns.
  float of_one = 0;
  /// LayerNorm; else RMSNorm.
  bool layer = false;
};

}  // namespace warpline
