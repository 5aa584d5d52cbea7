// Softmax of rows, in base 2: t = x * scale * log2(e) + mask * log2(e), m = max t,
// y = 2^(t - m) / sum 2^(t - m), or its logarithm (t - m - log2 sum) * ln 2, or of the logarithm
// no more than cross-entropy takes, -sum q * log p: q is (1 - smoothing) at the target, and
// smoothing / columns everywhere. A row is in registers, so that its maximum is known before the
// one exponential of each element: two reductions of a number each cost less than one of pairs
// whose sums are rescaled at every step. Rows that are too long for that are streamed.
#pragma once

#include <math.h>

#include "rows/typed_elements.h"
#include "softmax/row_target.h"
#include "softmax/softmax_arguments.h"
#include "softmax/softmax_streamed.h"
#include "softmax/softmax_terms.h"
#include "warpline/isa/math.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxForward : SoftmaxStreamed<T> {
  using Element = T;
  using Arguments = SoftmaxArguments;
  using Terms = SoftmaxTerms<T>;
  static constexpr const char* name = "softmax_forward";
  static constexpr const char* direct_name = "softmax_direct";
  static constexpr int max_inputs = 1;

  static WARPLINE_DEVICE float absorb(const Arguments& arguments, float element) {
    return element * arguments.scale;
  }

  /// A row whose elements are all -inf has the sum 0 and becomes NaN, as a NaN or +inf among them
  /// makes it.
  template <class Values, class Reduce>
  static WARPLINE_DEVICE void process(const Arguments& arguments, int64_t row, Values& values,
                                      Reduce& reduce) {
    Terms::mask(arguments, row, values);
    // Each of two loads that follow on each other is on its way during a reduction.
    const bool speaks = arguments.loss != nullptr && speaks_for_row(values);
    const int64_t target = speaks ? target_of(arguments.targets, row) : 0;
    const auto add = [](float a, float b) { return a + b; };
    float maximum = Terms::absent;
    values.for_each([&](float& x) { maximum = fmaxf(maximum, x); });
    maximum = reduce.local(maximum, [](float a, float b) { return fmaxf(a, b); });
    float origin = Terms::origin_of(maximum);
    typename Terms::TargetLogit logit;
    if (speaks) {
      logit = Terms::load_logit(arguments, row, target);
    }
    float sum = 0;
    if (arguments.logarithm) {
      values.for_each([&](float& x) { sum += isa::exp2_approximate(x - origin); });
    } else {
      values.for_each([&](float& x) {
        x = isa::exp2_approximate(x - origin);
        sum += x;
      });
    }
    sum = reduce.local(sum, add);
    float share = 1;
    if constexpr (Reduce::parts > 1) {
      // Each CTA (or warp) has subtracted the maximum of its own part.
      const Partial part = reduce.exchange(Partial{maximum, sum}, Partial{Terms::absent, 0});
      origin = Terms::origin_of(
          reduce_lanes<Reduce::parts>(part.maximum, [](float a, float b) { return fmaxf(a, b); }));
      sum =
          reduce_lanes<Reduce::parts>(part.sum * isa::exp2_approximate(part.maximum - origin), add);
      share = isa::exp2_approximate(maximum - origin);
    }
    if (arguments.loss != nullptr) {
      float distances = 0;
      if (arguments.smoothing != 0) {
        values.for_each_present([&](float x) { distances += x - origin; });
        distances = reduce(distances, add);
      }
      if (speaks) {
        Terms::store_loss(arguments, row, logit, origin, isa::log2_approximate(sum), distances);
      }
      return;
    }
    if (arguments.logarithm) {
      // Subtracted first: of an element that has nearly all, little is left.
      const float offset = origin + isa::log2_approximate(sum);
      store_values(arguments.y, row, values, [&](float x) { return (x - offset) * Terms::ln_2; });
    } else {
      const float factor = share * isa::reciprocal_approximate(sum);
      store_values(arguments.y, row, values, [&](float x) { return x * factor; });
    }
  }

 private:
  struct alignas(8) Partial {
    float maximum;
    float sum;
  };
};

}  // namespace warpline::inline WARPLINE_TARGET
