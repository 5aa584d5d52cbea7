// What the producer does for one stretch of a row: bulk copies, whatever the row's address.
#pragma once

#include "warpline/slot.h"

namespace warpline::inline WARPLINE_TARGET {

/// One input: rows of T, `stride` elements apart, in the tensor [begin, end).
template <class T>
struct RowInput {
  const T* data = nullptr;
  int64_t stride = 0;
  const T* begin = nullptr;
  const T* end = nullptr;

  WARPLINE_DEVICE const T* row(int64_t r) const { return data + r * stride; }
};

/// Elements between the 16 bytes that an address is in, and itself.
template <class T>
WARPLINE_DEVICE int misalignment(const T* source) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(source) % 16 / sizeof(T));
}

/// Loads `count` elements from `source` to `array[at + misalignment(source)]`, by a copy of the
/// whole units of 16 bytes that they are in (`at` falls on 16 bytes, and the stretch has 16 bytes
/// more). The neighbours in these units belong to the tensor; where they would not, at its very
/// ends, the leader stores the elements itself.
template <class Slot, class T, int Count>
WARPLINE_DEVICE void load_stretch(Slot& slot, SharedArray<T, Count>& array, int at, const T* source,
                                  int count, const RowInput<T>& input) {
  constexpr int unit = 16 / sizeof(T);
  const int shift = misalignment(source);
  const T* first = source - shift;
  int units = (shift + count + unit - 1) / unit;
  if (first < input.begin) {
    const int head = unit - shift < count ? unit - shift : count;
    WARPLINE_NO_UNROLL
    for (int i = 0; i < head; ++i) {
      slot.put(array, at + shift + i, isa::load_global(source + i));
    }
    first += unit;
    at += unit;
    --units;
  }
  if (units > 0 && first + units * unit > input.end) {
    --units;
    const int tail = static_cast<int>(source + count - (first + units * unit));
    WARPLINE_NO_UNROLL
    for (int i = 0; i < tail; ++i) {
      slot.put(array, at + units * unit + i, isa::load_global(first + units * unit + i));
    }
  }
  if (units > 0) {
    slot.load(array, at, first, units * unit);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
