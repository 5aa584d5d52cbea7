// Softmax of rows, in base 2: t = x * scale * log2(e) + mask * log2(e), m = max t,
// y = 2^(t - m) / sum 2^(t - m), or its logarithm (t - m - log2 sum) * ln 2, or of the logarithm
// no more than cross-entropy takes, -sum q * log p: q is (1 - smoothing) at the target, and
// smoothing / columns everywhere. A row is in registers,
// so that its maximum is known before the one exponential of each element: two reductions of a
// number each cost less than one of pairs whose sums are rescaled at every step.
#pragma once

#include <math.h>

#include "rows/typed_elements.h"
#include "softmax/row_target.h"
#include "softmax/softmax_arguments.h"
#include "warpline/isa/math.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxForward {
  using Element = T;
  using Arguments = SoftmaxArguments;
  static constexpr const char* name = "softmax_forward";
  static constexpr int max_inputs = 1;
  static constexpr float absent = -__builtin_huge_valf();
  static constexpr float log2_e = 1.4426950408889634f;
  static constexpr float ln_2 = 0.6931471805599453f;

  static WARPLINE_DEVICE float absorb(const Arguments& arguments, float element) {
    return element * arguments.scale;
  }

  /// A row whose elements are all -inf has the sum 0 and becomes NaN, as a NaN or +inf among them
  /// makes it.
  template <class Values, class Reduce>
  static WARPLINE_DEVICE void process(const Arguments& arguments, int64_t row, Values& values,
                                      Reduce& reduce) {
    if (arguments.mask.data != nullptr) {
      const auto add_mask = [](float& x, float mask) { x += mask * log2_e; };
      const int64_t mask_row = row % arguments.mask_rows;
      with_elements(arguments.mask, mask_row, values, add_mask);
    }
    if (arguments.causal_rows != 0) {
      leave_out(row % arguments.causal_rows + arguments.causal_offset, values);
    }
    // Each of two loads that follow on each other is on its way during a reduction.
    const bool speaks = arguments.loss != nullptr && speaks_for_row(values);
    const int64_t target = speaks ? target_of(arguments.targets, row) : 0;
    const auto add = [](float a, float b) { return a + b; };
    const auto larger = [](float a, float b) { return fmaxf(a, b); };
    float maximum = absent;
    values.for_each([&](float& x) { maximum = fmaxf(maximum, x); });
    maximum = reduce.local(maximum, larger);
    float origin = origin_of(maximum);
    const bool valid = speaks && target >= 0 && target < arguments.columns;
    const uint32_t bits = valid ? load_bits<T>(arguments.logits, row, target) : 0;
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
    if constexpr (Reduce::ctas > 1) {
      // Each CTA has subtracted the maximum of its own part.
      const Partial part = reduce.exchange(Partial{maximum, sum});
      origin = origin_of(reduce_lanes<Reduce::ctas>(part.maximum, larger));
      sum =
          reduce_lanes<Reduce::ctas>(part.sum * isa::exp2_approximate(part.maximum - origin), add);
      share = isa::exp2_approximate(maximum - origin);
    }
    if (arguments.loss != nullptr) {
      const float log2_sum = isa::log2_approximate(sum);
      const float logit = number_of<T>(bits, arguments.logits.type == ElementType::bf16);
      const float at_target = valid ? logit * arguments.scale - origin : __builtin_nanf("");
      const float aimed_at = at_target + smoothing(arguments, values, reduce, origin, at_target);
      if (speaks) {
        const bool ignored = target == arguments.ignore_index;
        isa::store_global(arguments.loss + row, ignored ? 0 : (log2_sum - aimed_at) * ln_2);
        if (arguments.lse != nullptr) {
          isa::store_global(arguments.lse + row, (origin + log2_sum) * ln_2);
        }
      }
      return;
    }
    const float factor = arguments.logarithm ? ln_2 : share * isa::reciprocal_approximate(sum);
    const float offset = arguments.logarithm ? origin + isa::log2_approximate(sum) : 0;
    store_values(arguments.y, row, values, [&](float x) { return (x - offset) * factor; });
  }

 private:
  struct alignas(8) Partial {
    float maximum;
    float sum;
  };

  /// What is subtracted from exponents: -inf - -inf would not be a number.
  static WARPLINE_DEVICE float origin_of(float maximum) {
    return maximum == absent ? 0.0f : maximum;
  }

  /// What it takes away from the target, which is `at_target` from the largest, and gives to all.
  template <class Values, class Reduce>
  static WARPLINE_DEVICE float smoothing(const Arguments& arguments, Values& values, Reduce& reduce,
                                         float origin, float at_target) {
    if (arguments.smoothing == 0) {
      return 0;
    }
    float sum = 0;
    const auto add = [&](int p, int v) { sum += values.x[p * Values::vector + v] - origin; };
    values.for_each_piece(
        true,
        [&](int p) {
          WARPLINE_UNROLL
          for (int v = 0; v < Values::vector; ++v) {
            add(p, v);
          }
        },
        add);
    sum = reduce(sum, [](float a, float b) { return a + b; });
    return arguments.smoothing * (sum / static_cast<float>(arguments.columns) - at_target);
  }

  /// Columns beyond `last`.
  template <class Values>
  static WARPLINE_DEVICE void leave_out(int64_t last, Values& values) {
    WARPLINE_UNROLL
    for (int i = 0; i < Values::count; ++i) {
      const int column = values.column(i / Values::vector) + i % Values::vector;
      values.x[i] = column <= last ? values.x[i] : absent;
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
