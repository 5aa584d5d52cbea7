// Loads of neighbouring elements that begin anywhere: the aligned units of memory that have them,
// shifted in registers.
#pragma once

#include <type_traits>

#include "warpline/isa/memory.h"
#include "warpline/shifted.h"

namespace warpline::inline WARPLINE_TARGET {

/// Elements [begin, end) of a row.
struct ElementRange {
  int begin;
  int end;

  WARPLINE_DEVICE bool has(int element) const { return element >= begin && element < end; }
  WARPLINE_DEVICE bool has_all(int first, int count) const {
    return first >= begin && first + count <= end;
  }
  /// The nearest that it has; it is not empty.
  WARPLINE_DEVICE int nearest(int element) const {
    return element < begin ? begin : element < end ? element : end - 1;
  }
};

namespace anywhere_detail {

/// Elements of a unit of `Width` that `row` begins behind.
template <int Width, class T>
WARPLINE_DEVICE int phase_of(const T* row) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(row) / sizeof(T) % Width);
}

/// Where the two units begin, as elements of the row, that have the first and the last of the
/// elements `at` to `at + Width - 1` that are wanted. They may be the same.
template <int Width>
WARPLINE_DEVICE ElementRange units_of(int phase, int at, const ElementRange& wanted) {
  const int first = wanted.nearest(at) + phase;
  const int last = wanted.nearest(at + Width - 1) + phase;
  return {(first & -Width) - phase, (last & -Width) - phase};
}

}  // namespace anywhere_detail

/// `unit`, whose first element is the row's element `at`; zeros for what is not wanted.
template <class T, int Width>
WARPLINE_DEVICE Pack<T, Width> wanted_of(const Pack<T, Width>& unit, int at,
                                         const ElementRange& wanted) {
  constexpr int per_word = 4 / static_cast<int>(sizeof(T));
  struct Bits {
    uint32_t word[Width / per_word];
  };
  if (wanted.has(at) && wanted.has(at + Width - 1)) {
    return unit;
  }
  Bits bits = bits_as<Bits>(unit);
  WARPLINE_UNROLL
  for (int w = 0; w < Width / per_word; ++w) {
    const int element = at + w * per_word;
    if constexpr (per_word == 1) {
      bits.word[w] = wanted.has(element) ? bits.word[w] : 0;
    } else {
      bits.word[w] &= wanted.has(element) ? 0xffffffff : 0xffff0000;
      bits.word[w] &= wanted.has(element + 1) ? 0xffffffff : 0xffff;
    }
  }
  return bits_as<Pack<T, Width>>(bits);
}

/// Elements `at` to `at + Width - 1` of a row in shared memory, those of `wanted`, which is not
/// empty; the others are any. Units of `Width` elements that have a wanted one must have been
/// written whole.
template <int Width, class T>
WARPLINE_DEVICE Pack<T, Width> load_shared_anywhere(const T* row, int at,
                                                    const ElementRange& wanted) {
  using Unit = Pack<T, Width>;
  const int phase = anywhere_detail::phase_of<Width>(row);
  const ElementRange units = anywhere_detail::units_of<Width>(phase, at, wanted);
  const Unit low = isa::load_shared(*reinterpret_cast<const Unit*>(row + units.begin));
  Unit high = low;
  if (units.end != units.begin) {
    high = isa::load_shared(*reinterpret_cast<const Unit*>(row + units.end));
  }
  return shift_elements(low, high, (at + phase) & (Width - 1));
}

/// The same in global memory, where no byte beside the row's elements `all` is read: units that
/// reach beyond them give way to single elements.
template <int Width, class T>
WARPLINE_DEVICE Pack<T, Width> load_global_anywhere(const T* row, int at,
                                                    const ElementRange& wanted,
                                                    const ElementRange& all) {
  using Unit = Pack<T, Width>;
  const int phase = anywhere_detail::phase_of<Width>(row);
  const ElementRange units = anywhere_detail::units_of<Width>(phase, at, wanted);
  Unit unit{};
  if (units.begin >= all.begin && units.end + Width <= all.end) {
    const Unit low = isa::load_global(reinterpret_cast<const Unit*>(row + units.begin));
    Unit high = low;
    if (units.end != units.begin) {
      high = isa::load_global(reinterpret_cast<const Unit*>(row + units.end));
    }
    unit = shift_elements(low, high, (at + phase) & (Width - 1));
  } else {
    // From the last wanted one on: no more turns than there are, and little code.
    WARPLINE_NO_UNROLL
    for (int i = wanted.nearest(at + Width - 1) - at; i >= 0; --i) {
      unit = insert_first(unit, isa::load_global(row + wanted.nearest(at + i)));
    }
  }
  return unit;
}

/// The bits of an element of so many bytes.
template <int Bytes>
using BitsOf = std::conditional_t<Bytes == 2, uint16_t, uint32_t>;

/// The numbers that bits are: where types of 16 bits share what loads them. All threads agree on
/// `bf16`.
template <int Count>
WARPLINE_DEVICE void unpack_bits(const Pack<uint16_t, Count>& pack, bool bf16, float* values) {
  if (bf16) {
    unpack(bits_as<Pack<__nv_bfloat16, Count>>(pack), values);
  } else {
    unpack(bits_as<Pack<__half, Count>>(pack), values);
  }
}
template <int Count>
WARPLINE_DEVICE void unpack_bits(const Pack<uint32_t, Count>& pack, bool, float* values) {
  unpack(bits_as<Pack<float, Count>>(pack), values);
}

}  // namespace warpline::inline WARPLINE_TARGET
