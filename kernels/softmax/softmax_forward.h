// Softmax of rows, in base 2: t = x * scale * log2(e) + mask * log2(e), m = max t,
// y = 2^(t - m) / sum 2^(t - m), or its logarithm (t - m - log2 sum) * ln 2. One exponential for
// each element: a thread takes it against the maximum of its own elements, and its part of the sum
// is rescaled when parts are combined (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018).
#pragma once

#include <math.h>

#include "rows/typed_view.h"
#include "softmax/softmax_arguments.h"
#include "warpline/isa/math.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxForward {
  using Element = T;
  using Arguments = SoftmaxArguments;
  static constexpr const char* name = "softmax_forward";
  static constexpr int inputs = 1;
  static constexpr float absent = -__builtin_huge_valf();
  static constexpr float log2_e = 1.4426950408889634f;
  static constexpr float ln_2 = 0.6931471805599453f;

  struct alignas(8) Partial {
    float maximum;
    float sum;
  };

  static WARPLINE_DEVICE float absorb(const Arguments& arguments, const float (&in)[1]) {
    return in[0] * arguments.scale;
  }

  /// Leaves 2^(t - kept) in the values, kept being this thread's maximum; of a logarithm, t.
  template <class Values>
  static WARPLINE_DEVICE Partial gather(const Arguments& arguments, int64_t row, Values& values) {
    if (arguments.mask.data != nullptr) {
      with_elements(arguments.mask, row % arguments.mask_rows, values,
                    [](float& x, float mask) { x += mask * log2_e; });
    }
    if (arguments.causal_rows != 0) {
      const int64_t last = row % arguments.causal_rows + arguments.causal_offset;
      WARPLINE_UNROLL
      for (int i = 0; i < Values::count; ++i) {
        const int64_t column = values.column(i / Values::vector) + i % Values::vector;
        values.x[i] = column <= last ? values.x[i] : absent;
      }
    }
    float maximum = absent;
    values.for_each([&](float& x) { maximum = fmaxf(maximum, x); });
    values.kept = finite_or_zero(maximum);
    float sum = 0;
    values.for_each([&](float& x) {
      const float power = isa::exp2_approximate(x - values.kept);
      sum += power;
      x = arguments.logarithm ? x : power;
    });
    return {maximum, sum};
  }

  static WARPLINE_DEVICE Partial combine(const Partial& a, const Partial& b) {
    const float maximum = fmaxf(a.maximum, b.maximum);
    const float finite = finite_or_zero(maximum);
    return {maximum, a.sum * isa::exp2_approximate(a.maximum - finite) +
                         b.sum * isa::exp2_approximate(b.maximum - finite)};
  }

  /// A row whose elements are all -inf has the sum 0 and becomes NaN, as a NaN or +inf among them
  /// makes it.
  template <class Values>
  static WARPLINE_DEVICE void finish(const Arguments& arguments, int64_t row, int64_t,
                                     Values& values, const Partial& total) {
    const float finite = finite_or_zero(total.maximum);
    const float factor = arguments.logarithm ? ln_2
                                             : isa::exp2_approximate(values.kept - finite) *
                                                   isa::reciprocal_approximate(total.sum);
    const float offset = arguments.logarithm ? finite + isa::log2_approximate(total.sum) : 0;
    store_values(arguments.y, row, values, [&](float x) { return (x - offset) * factor; });
  }

 private:
  /// What is subtracted from exponents: -inf - -inf would not be a number.
  static WARPLINE_DEVICE float finite_or_zero(float maximum) {
    return maximum == absent ? 0.0f : maximum;
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
