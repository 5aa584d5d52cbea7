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
  static constexpr const char* direct_name = "softmax_backward_direct";
  static constexpr int max_inputs = 2;
  static constexpr bool holds = true;
  /// Pieces beyond a row cost next to nothing here: fewer kernels serve the short lengths.
  static constexpr int tiers = 11;
  static constexpr RowConfig config(int tier) {
    constexpr int short_tiers = tiers - long_tiers;
    constexpr int of_rows[short_tiers] = {0, 2, 4, 5, 6, 9, 10};
    return tier < short_tiers ? in_registers(of_rows[tier]) : in_clusters(tier);
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

 private:
  static constexpr RowConfig in_registers(int tier) {
    RowConfig config = direct_config(tier, sizeof(T));
    if (sizeof(T) == 4) {
      // Two rows of fp32.
      config.ctas_per_sm = config.min_ctas_per_sm = config.ctas_per_sm / 2;
    }
    return config;
  }

  static constexpr RowConfig in_clusters(int tier) {
    RowConfig config = clustered_config(tier - (tiers - long_tiers), sizeof(T));
    if (sizeof(T) == 4) {
      // Of larger stages, ptxas has more pieces in registers twice, and spills.
      config.stage_elements /= 2;
      config.stages *= 2;
    }
    return config;
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
