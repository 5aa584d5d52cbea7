// What begins somewhere in aligned words of memory: two words are loaded, and shifted in registers.
#pragma once

#include "warpline/bits.h"
#include "warpline/isa/permute.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// `Words` words (2 or 4) from byte `shift` of `low` on, which goes on in `high`: 0 to
/// 4 * Words - 1, a multiple of `ElementBytes`, 1, 2 or 4. `result` may not be one of them.
template <int Words, int ElementBytes>
WARPLINE_DEVICE void shift_words(const uint32_t* low, const uint32_t* high, uint32_t shift,
                                 uint32_t* result) {
  static_assert(Words == 2 || Words == 4);
  static_assert(ElementBytes == 1 || ElementBytes == 2 || ElementBytes == 4);
  constexpr int halves = Words + Words / 2;
  uint32_t by_half[halves];
  WARPLINE_UNROLL
  for (int i = 0; i < halves; ++i) {
    const uint32_t near = i < Words ? low[i] : high[i - Words];
    const int far = i + Words / 2;
    by_half[i] = (shift & (Words * 2)) != 0 ? far < Words ? low[far] : high[far - Words] : near;
  }
  uint32_t by_word[Words + 1];
  WARPLINE_UNROLL
  for (int i = 0; i < Words + 1; ++i) {
    if constexpr (Words == 2) {
      by_word[i] = by_half[i];
    } else {
      by_word[i] = (shift & 4) != 0 ? by_half[i + 1] : by_half[i];
    }
  }
  const uint32_t selector = ElementBytes == 1  ? 0x3210 + 0x1111 * (shift & 3)
                            : (shift & 2) != 0 ? 0x5432
                                               : 0x3210;
  WARPLINE_UNROLL
  for (int i = 0; i < Words; ++i) {
    if constexpr (ElementBytes == 4) {
      result[i] = by_word[i];
    } else {
      result[i] = isa::permute_bytes(by_word[i], by_word[i + 1], selector);
    }
  }
}

/// `Count` elements, 8 or 16 bytes, from element `shift` of `low` on, which goes on in `high`: 0 to
/// Count - 1.
template <class T, int Count>
WARPLINE_DEVICE Pack<T, Count> shift_elements(const Pack<T, Count>& low, const Pack<T, Count>& high,
                                              int shift) {
  constexpr int words = Count * static_cast<int>(sizeof(T)) / 4;
  struct Bits {
    uint32_t word[words];
  };
  const Bits of_low = bits_as<Bits>(low);
  const Bits of_high = bits_as<Bits>(high);
  Bits result;
  shift_words<words, sizeof(T)>(of_low.word, of_high.word,
                                static_cast<uint32_t>(shift) * uint32_t{sizeof(T)}, result.word);
  return bits_as<Pack<T, Count>>(result);
}

/// `element`, and then all elements of `pack` but the last.
template <class T, int Count>
WARPLINE_DEVICE Pack<T, Count> insert_first(const Pack<T, Count>& pack, const T& element) {
  constexpr int words = Count * static_cast<int>(sizeof(T)) / 4;
  struct Bits {
    uint32_t word[words];
  };
  Bits bits = bits_as<Bits>(pack);
  WARPLINE_UNROLL
  for (int i = words - 1; i > 0; --i) {
    bits.word[i] = sizeof(T) == 4 ? bits.word[i - 1]
                                  : isa::permute_bytes(bits.word[i - 1], bits.word[i], 0x5432);
  }
  if constexpr (sizeof(T) == 4) {
    bits.word[0] = bits_as<uint32_t>(element);
  } else {
    bits.word[0] = bits.word[0] << 16 | bits_as<uint16_t>(element);
  }
  return bits_as<Pack<T, Count>>(bits);
}

}  // namespace warpline::inline WARPLINE_TARGET
