// What the kernel is told beside its rows. Knows neither target.
#pragma once

#include "rows/typed_rows.h"

namespace warpline {

struct NormArguments {
  TypedRows y;
  /// One row of each; null: ones, zeros.
  TypedRows weight;
  TypedRows bias;
  /// Where h goes, if not null.
  TypedRows sum;
  /// One fp32 element for each row, if not null: 1 / sqrt(...), and LayerNorm's mean.
  float* rstd = nullptr;
  float* mean = nullptr;
  /// Where y goes as e4m3, if not null, and bytes from row to row; its scales.
  unsigned char* fp8 = nullptr;
  std::int64_t fp8_stride = 0;
  float* fp8_scales = nullptr;
  float epsilon = 0;
  /// 1 / columns.
  float of_one = 0;
  /// LayerNorm; else RMSNorm.
  bool layer = false;
};

}  // namespace warpline
