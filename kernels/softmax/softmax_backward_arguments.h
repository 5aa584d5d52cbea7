// What the backward kernel is told beside its rows. Knows neither target.
#pragma once

#include "rows/typed_rows.h"
#include "softmax/targets.h"

namespace warpline {

struct SoftmaxBackwardArguments {
  TypedRows dx;
  /// Of the inputs, where 16 bits may be either.
  bool bf16 = false;
  /// Of softmax; else of what its logarithm is taken of.
  bool softmax = false;
  /// Times the gradient.
  float scale = 1;
  /// Of logits, log2(e) among it.
  float exponent_scale = 1;
  /// Cross-entropy: one input, the logits; log of the sum of each row, and its loss's gradient
  /// (null: ones).
  const float* lse = nullptr;
  const float* dloss = nullptr;
  Targets targets;
  std::int64_t ignore_index = 0;
  std::int64_t columns = 0;
  /// The distribution that is aimed at: for every class but one, and for that.
  float uniform = 0;
  float at_target = 1;
};

}  // namespace warpline
