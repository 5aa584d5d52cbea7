// What the kernel is told beside its rows. Knows neither target.
#pragma once

#include "rows/typed_rows.h"
#include "softmax/targets.h"

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
  /// Cross-entropy instead of y, if not null: the loss of each row, and log of its sum if not null.
  float* loss = nullptr;
  float* lse = nullptr;
  /// The rows, of which single elements are read again.
  TypedRows logits;
  std::int64_t columns = 0;
  Targets targets;
  std::int64_t ignore_index = 0;
  /// Of all classes together.
  float smoothing = 0;
};

}  // namespace warpline
