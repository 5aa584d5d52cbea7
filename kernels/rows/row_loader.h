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

namespace row_loader_detail {

/// Elements `from` on of `source` to the unit of 16 bytes at `array[at]`: those of [0, count).
template <class Slot, class T, int Count>
WARPLINE_DEVICE void put_unit(Slot& slot, SharedArray<T, Count>& array, int at, const T* source,
                              int from, int count) {
  WARPLINE_NO_UNROLL
  for (int i = 0; i < 16 / static_cast<int>(sizeof(T)); ++i) {
    const int place = from + i;
    const bool there = place >= 0 && place < count;
    slot.put(array, at + i, there ? isa::load_global(source + place) : T{});
  }
}

}  // namespace row_loader_detail

/// Loads `count` elements from `source` to `array[at + misalignment(source)]`, by a copy of the
/// whole units of 16 bytes that they are in (`at` falls on 16 bytes, and the stretch has 16 bytes
/// more). The neighbours in these units belong to the tensor; where they would not, at its very
/// ends, the leader stores the elements itself, and zeros for those beyond.
template <class Slot, class T, int Count>
WARPLINE_DEVICE void load_stretch(Slot& slot, SharedArray<T, Count>& array, int at, const T* source,
                                  int count, const RowInput<T>& input) {
  constexpr int unit = 16 / sizeof(T);
  const int shift = misalignment(source);
  const T* first = source - shift;
  int units = (shift + count + unit - 1) / unit;
  if (first < input.begin) {
    row_loader_detail::put_unit(slot, array, at, source, -shift, count);
    first += unit;
    at += unit;
    --units;
  }
  if (units > 0 && first + units * unit > input.end) {
    --units;
    row_loader_detail::put_unit(slot, array, at + units * unit, source,
                                static_cast<int>(first + units * unit - source), count);
  }
  if (units > 0) {
    slot.load(array, at, first, units * unit);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
