// What both ways of softmax (softmax_forward.h, softmax_streamed.h) have in common.
#pragma once

#include "rows/typed_elements.h"
#include "softmax/row_target.h"
#include "softmax/softmax_arguments.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxTerms {
  static constexpr float absent = -__builtin_huge_valf();
  static constexpr float log2_e = 1.4426950408889634f;
  static constexpr float ln_2 = 0.6931471805599453f;

  /// Adds the mask, and leaves out what is not of the causal part.
  template <class Values>
  static WARPLINE_DEVICE void mask(const SoftmaxArguments& arguments, int64_t row, Values& values) {
    if (arguments.mask.data != nullptr) {
      const auto add_mask = [](float& x, float mask) { x += mask * log2_e; };
      const int64_t mask_row = row % arguments.mask_rows;
      with_elements(arguments.mask, mask_row, values, add_mask);
      values.forget_addresses();
    }
    if (arguments.causal_rows != 0) {
      leave_out(row % arguments.causal_rows + arguments.causal_offset, values);
    }
  }

  /// What is subtracted from exponents: -inf - -inf would not be a number.
  static WARPLINE_DEVICE float origin_of(float maximum) {
    return maximum == absent ? 0.0f : maximum;
  }

  /// What is loaded for a row's target: nothing waits for the bits, and the target's number, which
  /// is wide, is not kept for long.
  struct TargetLogit {
    uint32_t bits = 0;
    bool valid = false;
    bool ignored = false;
  };
  static WARPLINE_DEVICE TargetLogit load_logit(const SoftmaxArguments& arguments, int64_t row,
                                                int64_t target) {
    TargetLogit logit;
    logit.valid = target >= 0 && target < arguments.columns;
    logit.ignored = target == arguments.ignore_index;
    if (logit.valid) {
      logit.bits = load_bits<T>(arguments.logits, row, target);
    }
    return logit;
  }

  /// `distances`: the sum of all elements' distances from `origin`.
  static WARPLINE_DEVICE void store_loss(const SoftmaxArguments& arguments, int64_t row,
                                         const TargetLogit& target, float origin, float log2_sum,
                                         float distances) {
    const float logit = number_of<T>(target.bits, arguments.logits.type == ElementType::bf16);
    const float at_target = target.valid ? logit * arguments.scale - origin : __builtin_nanf("");
    // What smoothing takes away from the target, and gives to all.
    const float smoothed =
        arguments.smoothing == 0
            ? 0
            : arguments.smoothing * (distances / static_cast<float>(arguments.columns) - at_target);
    isa::store_global(arguments.loss + row,
                      target.ignored ? 0 : (log2_sum - (at_target + smoothed)) * ln_2);
    if (arguments.lse != nullptr) {
      isa::store_global(arguments.lse + row, (origin + log2_sum) * ln_2);
    }
  }

 private:
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
