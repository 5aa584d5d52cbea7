// What a reduction computes: `map` of each element, `combine` of two, `result` of all.
#pragma once

#include <math.h>

#include <cstdint>

#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

namespace reduce_ops_detail {

/// Floating-point elements are reduced in fp32, integers as they are.
template <class T>
struct AccumulatorOf {
  using Type = float;
};
template <>
struct AccumulatorOf<int32_t> {
  using Type = int32_t;
};

WARPLINE_DEVICE int32_t value_of(int32_t value) { return value; }
WARPLINE_DEVICE float value_of(float value) { return value; }
WARPLINE_DEVICE float value_of(__half value) { return to_float(value); }
WARPLINE_DEVICE float value_of(__nv_bfloat16 value) { return to_float(value); }

}  // namespace reduce_ops_detail

/// Integers wrap around.
template <class T>
struct ReduceSum {
  using Element = T;
  using Accumulator = typename reduce_ops_detail::AccumulatorOf<T>::Type;
  static constexpr const char* name = "reduce_sum";
  static constexpr Accumulator identity = 0;

  static WARPLINE_DEVICE Accumulator map(T value) { return reduce_ops_detail::value_of(value); }
  static WARPLINE_DEVICE float combine(float a, float b) { return a + b; }
  static WARPLINE_DEVICE int32_t combine(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
  static WARPLINE_DEVICE Accumulator result(Accumulator all) { return all; }
};

/// The square root of the sum of squares.
template <class T>
struct ReduceNorm {
  using Element = T;
  using Accumulator = float;
  static constexpr const char* name = "reduce_norm";
  static constexpr float identity = 0;

  static WARPLINE_DEVICE float map(T value) {
    const float real = to_float(value);
    return real * real;
  }
  static WARPLINE_DEVICE float combine(float a, float b) { return a + b; }
  static WARPLINE_DEVICE float result(float all) { return sqrtf(all); }
};

/// The largest (or smallest) element; NaN if there is one.
template <class T, bool Largest>
struct ReduceExtreme {
  using Element = T;
  using Accumulator = typename reduce_ops_detail::AccumulatorOf<T>::Type;
  static constexpr const char* name = Largest ? "reduce_max" : "reduce_min";
  static constexpr Accumulator identity = [] {
    if constexpr (__is_same(T, int32_t)) {
      return Largest ? INT32_MIN : INT32_MAX;
    } else {
      return Largest ? -__builtin_huge_valf() : __builtin_huge_valf();
    }
  }();

  static WARPLINE_DEVICE Accumulator map(T value) { return reduce_ops_detail::value_of(value); }
  static WARPLINE_DEVICE Accumulator combine(Accumulator a, Accumulator b) {
    // A NaN compares false with everything, itself too.
    return (Largest ? a > b : a < b) || a != a ? a : b;
  }
  static WARPLINE_DEVICE Accumulator result(Accumulator all) { return all; }
};
template <class T>
using ReduceMax = ReduceExtreme<T, true>;
template <class T>
using ReduceMin = ReduceExtreme<T, false>;

/// The second pass of `Op`: over what the first has left.
template <class Op>
struct ReducePartials : Op {
  using Element = typename Op::Accumulator;
  static WARPLINE_DEVICE Element map(Element value) { return value; }
};

}  // namespace warpline::inline WARPLINE_TARGET
