// What the kernel is told beside its rows. Knows neither target.
#pragma once

#include "rows/typed_rows.h"

namespace warpline {

struct SoftmaxArguments {
  TypedRows y;
  /// Times log2(e).
  float scale = 1;
  bool logarithm = false;
  /// Elements are added to x * scale; row r of x has row r % mask_rows. Null: none.
  TypedRows mask;
  std::int64_t mask_rows = 1;
  /// Row r keeps its first r % causal_rows + causal_offset + 1 elements; causal_rows = 0: all.
  std::int64_t causal_rows = 0;
  std::int64_t causal_offset = 0;
};

}  // namespace warpline
