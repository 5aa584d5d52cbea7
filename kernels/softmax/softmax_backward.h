// Gradients of softmax, of its logarithm and of cross-entropy (softmax_gradient.h). Inputs are held
// as they are in memory until the sum is known: two rows in as many registers as one of fp32 takes.
#pragma once

#include "rows/row_kernels.h"
#include "softmax/softmax_gradient.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxBackward {
  using Element = T;
  using Arguments = SoftmaxBackwardArguments;
  static constexpr const char* name = "softmax_backward";
  static constexpr int max_inputs = 2;
  static constexpr bool holds = true;
  /// Pieces beyond a row cost next to nothing here: fewer kernels serve the short lengths.
  static constexpr int tiers = 9;
  static constexpr RowConfig config(int tier) {
    constexpr int of_rows[tiers] = {2, 4, 5, 9, 10, 11, 12, 13, 14};
    RowConfig config = row_config(of_rows[tier], sizeof(T));
    if (sizeof(T) == 4 && config.whole_cta() && config.elements == 32) {
      // Of larger stages, ptxas has more pieces in registers twice, and spills.
      config.stage_elements /= 2;
      config.stages *= 2;
    }
    return config;
  }

  template <class Values, class Reduce>
  static WARPLINE_DEVICE void process(const Arguments& arguments, int64_t row, Values& values,
                                      Reduce& reduce) {
    float sum = 0;
    if (arguments.lse == nullptr) {
      sum = reduce(SoftmaxGradient::part_of_sum(arguments, values),
                   [](float a, float b) { return a + b; });
      values.keep_bits_only();
    }
    SoftmaxGradient::store(arguments, row, values, sum);
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
