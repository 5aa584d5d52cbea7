// What a reduction computes. A thread `take`s elements into what it has so far (Running), in the
// order of their places; `partial` of that can be combined with others', whoever comes first.
#pragma once

#include <math.h>

#include <cstdint>

#include "reduction/reduce_arguments.h"
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

/// Integers wrap around.
WARPLINE_DEVICE float sum_of(float a, float b) { return a + b; }
WARPLINE_DEVICE int32_t sum_of(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

/// What is less (or more) than any element.
template <class Accumulator, bool Least>
WARPLINE_DEVICE constexpr Accumulator limit() {
  if constexpr (__is_same(Accumulator, int32_t)) {
    return Least ? INT32_MIN : INT32_MAX;
  } else {
    return Least ? -__builtin_huge_valf() : __builtin_huge_valf();
  }
}

}  // namespace reduce_ops_detail

template <class T>
struct ReduceSum {
  using Element = T;
  using Accumulator = typename reduce_ops_detail::AccumulatorOf<T>::Type;
  using Running = Accumulator;
  static constexpr ReduceStep step = ReduceStep::sum;
  static constexpr const char* name = "reduce_sum";

  static WARPLINE_DEVICE Running start() { return 0; }
  static WARPLINE_DEVICE void take(Running& sum, T element, uint32_t) {
    sum = combine(sum, reduce_ops_detail::value_of(element));
  }
  static WARPLINE_DEVICE Accumulator combine(Accumulator a, Accumulator b) {
    return reduce_ops_detail::sum_of(a, b);
  }
};

/// The sum of squares; its root is taken of the result.
template <class T>
struct ReduceNorm : ReduceSum<T> {
  static constexpr ReduceStep step = ReduceStep::norm;
  static constexpr const char* name = "reduce_norm";

  static WARPLINE_DEVICE void take(float& sum, T element, uint32_t) {
    const float real = to_float(element);
    sum += real * real;
  }
};

/// The largest (or smallest) element; NaN if there is one.
template <class T, bool Largest>
struct ReduceExtreme {
  using Element = T;
  using Accumulator = typename reduce_ops_detail::AccumulatorOf<T>::Type;
  using Running = Accumulator;
  static constexpr ReduceStep step = Largest ? ReduceStep::maximum : ReduceStep::minimum;
  static constexpr const char* name = Largest ? "reduce_max" : "reduce_min";

  static WARPLINE_DEVICE Running start() {
    return reduce_ops_detail::limit<Accumulator, Largest>();
  }
  static WARPLINE_DEVICE void take(Running& extreme, T element, uint32_t) {
    extreme = combine(extreme, reduce_ops_detail::value_of(element));
  }
  static WARPLINE_DEVICE Accumulator combine(Accumulator a, Accumulator b) {
    // A NaN compares false with everything, itself too.
    return (Largest ? a > b : a < b) || a != a ? a : b;
  }
};
template <class T>
using ReduceMax = ReduceExtreme<T, true>;
template <class T>
using ReduceMin = ReduceExtreme<T, false>;

}  // namespace warpline::inline WARPLINE_TARGET
