// A loop whose index is a constant.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// An int known at compile time. (std::integral_constant converts in host code only.)
template <int Value>
struct Constant {
  static constexpr int value = Value;
  // NOLINTNEXTLINE(google-explicit-constructor): it is the number
  WARPLINE_HOST_DEVICE constexpr operator int() const { return Value; }
};

/// body(Constant<Begin>{}), ..., body(Constant<End - 1>{}).
template <int Begin, int End, class Body>
WARPLINE_DEVICE void static_for(Body&& body) {
  if constexpr (Begin < End) {
    body(Constant<Begin>{});
    static_for<Begin + 1, End>(body);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
