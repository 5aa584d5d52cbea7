// Where the largest element is: the first of them, and a NaN is larger than everything (as numpy
// and PyTorch have it).
#pragma once

#include "reduction/reduce_ops.h"

namespace warpline::inline WARPLINE_TARGET {

/// -0 is no less than 0.
WARPLINE_DEVICE int32_t argmax_key(int32_t value) { return value; }
WARPLINE_DEVICE int32_t argmax_key(float value) {
  if (value != value) {
    return INT32_MAX;
  }
  const auto bits = bits_as<int32_t>(value);
  return bits < 0 ? -(bits & INT32_MAX) : bits;
}

WARPLINE_DEVICE bool comes_first(int32_t key, int64_t index, int32_t other, int64_t other_index) {
  return key > other || (key == other && index < other_index);
}

template <class T>
struct ReduceArgmax {
  using Element = T;
  using Accumulator = ArgmaxPartial;
  using Value = typename reduce_ops_detail::AccumulatorOf<T>::Type;
  /// `turn` counts what the thread takes; `none` stands before the first.
  struct Running {
    Value value;
    uint32_t turn;
  };
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr ReduceStep step = ReduceStep::argmax;
  static constexpr const char* name = "reduce_argmax";

  static WARPLINE_DEVICE Running start() { return {reduce_ops_detail::limit<Value, true>(), none}; }
  static WARPLINE_DEVICE void take(Running& best, T element, uint32_t turn) {
    const Value value = reduce_ops_detail::value_of(element);
    // True of a NaN, too, unless one has come before.
    const bool larger = !(value <= best.value) && best.value == best.value;
    best.value = larger ? value : best.value;
    // Of elements that are all -inf, the first.
    best.turn = larger || best.turn == none ? turn : best.turn;
  }
  /// Of a thread that took nothing, what no other's is less than.
  static WARPLINE_DEVICE Accumulator partial(const Running& best, int64_t index) {
    return best.turn == none ? Accumulator{INT64_MAX, INT32_MIN, 0}
                             : Accumulator{index, argmax_key(best.value), 0};
  }
  static WARPLINE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return comes_first(b.key, b.index, a.key, a.index) ? b : a;
  }
};

template <class Op>
inline constexpr bool finds_index = Op::step == ReduceStep::argmax;

}  // namespace warpline::inline WARPLINE_TARGET
