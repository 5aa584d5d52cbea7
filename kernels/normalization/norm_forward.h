// RMSNorm (Zhang and Sennrich, 2019) and LayerNorm (Ba, Kiros and Hinton, 2016) of rows h = x, or
// h = x + residual:
//
//   RMSNorm     y = h / sqrt(mean(h^2) + epsilon) * weight + bias
//   LayerNorm   y = (h - mean(h)) / sqrt(mean((h - mean(h))^2) + epsilon) * weight + bias
//
// A row's mean and squares come from one reduction: threads bring their own elements' count, sum
// and squared distances from their own mean, which pairs combine without cancellation (Chan, Golub
// and LeVeque, 1979).
#pragma once

#include "normalization/norm_arguments.h"
#include "rows/typed_view.h"
#include "warpline/isa/math.h"

namespace warpline::inline WARPLINE_TARGET {

namespace norm_detail {

/// What both have in common: h, and its way out.
template <class T, bool Residual>
struct Norm {
  using Element = T;
  using Arguments = NormArguments;
  static constexpr int inputs = Residual ? 2 : 1;
  static constexpr float absent = 0;

  static WARPLINE_DEVICE float absorb(const Arguments&, const float (&in)[inputs]) {
    return Residual ? in[0] + in[inputs - 1] : in[0];
  }

  template <class Values>
  static WARPLINE_DEVICE void store_sum(const Arguments& arguments, int64_t row, Values& values) {
    if (Residual && arguments.sum.data != nullptr) {
      store_values(arguments.sum, row, values, [](float x) { return x; });
    }
  }

  /// y = (h - mean) * rstd * weight + bias
  template <class Values>
  static WARPLINE_DEVICE void store(const Arguments& arguments, int64_t row, Values& values,
                                    float mean, float rstd) {
    if (values.thread == 0 && values.first == 0 && values.columns > 0) {
      if (arguments.rstd != nullptr) {
        isa::store_global(arguments.rstd + row, rstd);
      }
      if (arguments.mean != nullptr) {
        isa::store_global(arguments.mean + row, mean);
      }
    }
    values.for_each([&](float& x) { x = (x - mean) * rstd; });
    if (arguments.weight.data != nullptr) {
      with_elements(arguments.weight, 0, values, [](float& x, float weight) { x *= weight; });
    }
    if (arguments.bias.data != nullptr) {
      with_elements(arguments.bias, 0, values, [](float& x, float bias) { x += bias; });
    }
    store_values(arguments.y, row, values, [](float x) { return x; });
  }
};

}  // namespace norm_detail

template <class T, bool Residual>
struct RmsNormForward : norm_detail::Norm<T, Residual> {
  static constexpr const char* name = "rms_norm_forward";

  struct Partial {
    float squares;
  };

  template <class Values>
  static WARPLINE_DEVICE Partial gather(const NormArguments& arguments, int64_t row,
                                        Values& values) {
    RmsNormForward::store_sum(arguments, row, values);
    float squares = 0;
    values.for_each([&](float& x) { squares += x * x; });
    return {squares};
  }

  static WARPLINE_DEVICE Partial combine(const Partial& a, const Partial& b) {
    return {a.squares + b.squares};
  }

  template <class Values>
  static WARPLINE_DEVICE void finish(const NormArguments& arguments, int64_t row, int64_t columns,
                                     Values& values, const Partial& total) {
    const float mean_square = total.squares / static_cast<float>(columns);
    RmsNormForward::store(arguments, row, values, 0,
                          isa::rsqrt_approximate(mean_square + arguments.epsilon));
  }
};

template <class T, bool Residual>
struct LayerNormForward : norm_detail::Norm<T, Residual> {
  static constexpr const char* name = "layer_norm_forward";

  struct alignas(16) Partial {
    float count;
    float sum;
    float mean;
    /// Of the elements' distances from `mean`, squared.
    float squares;
  };

  template <class Values>
  static WARPLINE_DEVICE Partial gather(const NormArguments& arguments, int64_t row,
                                        Values& values) {
    LayerNormForward::store_sum(arguments, row, values);
    const auto count = static_cast<float>(values.present());
    float sum = 0;
    values.for_each([&](float& x) { sum += x; });  // absent ones are 0
    const float mean = mean_of(sum, count);
    float squares = 0;
    WARPLINE_UNROLL
    for (int p = 0; p < Values::pieces; ++p) {
      if (values.has(p)) {
        WARPLINE_UNROLL
        for (int v = 0; v < Values::vector; ++v) {
          const float distance = values.x[p * Values::vector + v] - mean;
          squares += distance * distance;
        }
      }
    }
    return {count, sum, mean, squares};
  }

  static WARPLINE_DEVICE Partial combine(const Partial& a, const Partial& b) {
    const float count = a.count + b.count;
    const float sum = a.sum + b.sum;
    const float distance = a.mean - b.mean;
    const float weight = mean_of(a.count * b.count, count);
    return {count, sum, mean_of(sum, count), a.squares + b.squares + distance * distance * weight};
  }

  template <class Values>
  static WARPLINE_DEVICE void finish(const NormArguments& arguments, int64_t row, int64_t columns,
                                     Values& values, const Partial& total) {
    const float variance = total.squares / static_cast<float>(columns);
    LayerNormForward::store(arguments, row, values, total.mean,
                            isa::rsqrt_approximate(variance + arguments.epsilon));
  }

 private:
  static WARPLINE_DEVICE float mean_of(float sum, float count) {
    return count > 0 ? sum * isa::reciprocal_approximate(count) : 0;
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
