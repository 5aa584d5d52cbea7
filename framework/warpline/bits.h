// Reinterpreting bits in device code, where std::bit_cast is not to be had.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

template <class To, class From>
WARPLINE_HOST_DEVICE constexpr To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace warpline::inline WARPLINE_TARGET
