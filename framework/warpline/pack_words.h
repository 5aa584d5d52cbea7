// Elements in the words of memory that they are loaded in.
#pragma once

#include <type_traits>

#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// Words of memory that hold elements: what may or may not be loaded is better kept so. Of a Pack
/// that is there on a condition the compiler makes 16-bit halves, one by one.
/// (A lone element of 16 bits has a half of its own.)
template <class T, int Count>
using PackWords =
    std::conditional_t<Count * sizeof(T) % 4 == 0,
                       Pack<uint32_t, Count* static_cast<int>(sizeof(T)) / 4>, Pack<uint16_t, 1>>;

/// The `Count` elements of T in `words`.
template <class T, int Count>
WARPLINE_DEVICE void unpack_words(const PackWords<T, Count>& words, float* values) {
  WARPLINE_UNROLL
  for (int i = 0; i < Count; ++i) {
    if constexpr (sizeof(T) == 4) {
      values[i] = bits_as<float>(words.element[i]);
    } else if constexpr (Count == 1) {
      values[i] = to_float(bits_as<T>(words.element[i]));
    } else {
      const uint32_t word = words.element[i / 2];
      if constexpr (__is_same(T, __half)) {
        values[i] = to_float(bits_as<T>(static_cast<uint16_t>(i % 2 == 0 ? word : word >> 16)));
      } else {
        // bf16 is the upper half of fp32.
        values[i] = bits_as<float>(i % 2 == 0 ? word << 16 : word & 0xffff0000);
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
