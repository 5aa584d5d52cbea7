// What both ways of the norms (norm_forward.h, norm_streamed.h) have in common.
#pragma once

#include "normalization/norm_arguments.h"
#include "rows/typed_elements.h"
#include "warpline/isa/math.h"

namespace warpline::inline WARPLINE_TARGET {

struct NormTerms {
  static constexpr float absent = 0;

  static WARPLINE_DEVICE float rstd_of(const NormArguments& arguments, float squares) {
    return isa::rsqrt_approximate(squares * arguments.of_one + arguments.epsilon);
  }

  /// By one thread of the row.
  static WARPLINE_DEVICE void store_statistics(const NormArguments& arguments, int64_t row,
                                               float mean, float rstd) {
    if (arguments.rstd != nullptr) {
      isa::store_global(arguments.rstd + row, rstd);
    }
    if (arguments.mean != nullptr) {
      isa::store_global(arguments.mean + row, mean);
    }
  }

  /// (x - shift) * rstd, and so on; what is large about a mean has been subtracted before.
  template <class Values>
  static WARPLINE_DEVICE void normalize(const NormArguments& arguments, float shift, float rstd,
                                        Values& values) {
    // -0 is what adding leaves the sign of a zero as it is.
    const float offset = shift == 0 ? -0.0f : -shift * rstd;
    values.for_each([&](float& x) { x = x * rstd + offset; });
    values.forget_addresses();
    if (arguments.weight.data != nullptr) {
      with_elements(arguments.weight, 0, values, [](float& x, float weight) { x *= weight; });
    }
    if (arguments.bias.data != nullptr) {
      with_elements(arguments.bias, 0, values, [](float& x, float bias) { x += bias; });
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
