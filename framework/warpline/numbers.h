// Numbers in memory and in registers: kernels compute in fp32 and store what they are asked for.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "warpline/bits.h"

namespace warpline::inline WARPLINE_TARGET {

WARPLINE_DEVICE float to_float(float value) { return value; }
WARPLINE_DEVICE float to_float(__half value) { return __half2float(value); }
WARPLINE_DEVICE float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

/// Rounded to nearest, ties to even.
template <class T>
WARPLINE_DEVICE T from_float(float value) {
  if constexpr (sizeof(T) == 4) {
    return value;
  } else if constexpr (__is_same(T, __half)) {
    return __float2half_rn(value);
  } else {
    return __float2bfloat16_rn(value);
  }
}

/// `Count` elements that are loaded or stored at once: 16 bytes at most, aligned to their size.
template <class T, int Count>
struct alignas(Count * sizeof(T)) Pack {
  static_assert(Count * sizeof(T) <= 16);
  T element[Count];
};

template <class T, int Count>
WARPLINE_DEVICE void unpack(const Pack<T, Count>& pack, float* values) {
  WARPLINE_UNROLL
  for (int i = 0; i < Count; ++i) {
    values[i] = to_float(pack.element[i]);
  }
}

/// Two at a time where there is an instruction for it.
template <class T, int Count>
WARPLINE_DEVICE Pack<T, Count> pack(const float* values) {
  Pack<T, Count> result;
  if constexpr (sizeof(T) == 2 && Count % 2 == 0) {
    WARPLINE_UNROLL
    for (int i = 0; i < Count; i += 2) {
      if constexpr (__is_same(T, __half)) {
        const __half2 two = __floats2half2_rn(values[i], values[i + 1]);
        result.element[i] = two.x;
        result.element[i + 1] = two.y;
      } else {
        const __nv_bfloat162 two = __floats2bfloat162_rn(values[i], values[i + 1]);
        result.element[i] = two.x;
        result.element[i + 1] = two.y;
      }
    }
  } else {
    WARPLINE_UNROLL
    for (int i = 0; i < Count; ++i) {
      result.element[i] = from_float<T>(values[i]);
    }
  }
  return result;
}

}  // namespace warpline::inline WARPLINE_TARGET
