// A row's class index, and the logit that is meant.
#pragma once

#include "rows/typed_view.h"
#include "softmax/targets.h"

namespace warpline::inline WARPLINE_TARGET {

WARPLINE_DEVICE int64_t target_of(const Targets& targets, int64_t row) {
  return targets.wide ? isa::load_global(static_cast<const int64_t*>(targets.data) + row)
                      : isa::load_global(static_cast<const int32_t*>(targets.data) + row);
}

/// Whether this thread writes what there is one of for each row.
template <class Pieces>
WARPLINE_DEVICE bool speaks_for_row(const Pieces& pieces) {
  return pieces.thread == 0 && pieces.first <= 0 && pieces.end > 0;
}

/// An element's bits: nothing waits for them before they are made a number. T of 16 bits stands for
/// both types.
template <class T>
WARPLINE_DEVICE uint32_t load_bits(const TypedRows& rows, int64_t row, int64_t column) {
  const T element =
      isa::load_global(static_cast<const T*>(rows.data) + (row * rows.stride + column));
  if constexpr (sizeof(T) == 4) {
    return bits_as<uint32_t>(element);
  } else {
    return bits_as<uint16_t>(element);
  }
}
template <class T>
WARPLINE_DEVICE float number_of(uint32_t bits, bool bf16) {
  if constexpr (sizeof(T) == 4) {
    return bits_as<float>(bits);
  } else {
    return bf16 ? to_float(bits_as<__nv_bfloat16>(static_cast<uint16_t>(bits)))
                : to_float(bits_as<T>(static_cast<uint16_t>(bits)));
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
