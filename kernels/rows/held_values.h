// A thread's share of the rows of all inputs, in registers as they are in memory: two rows of 16
// bits take no more room than one of fp32.
#pragma once

#include "rows/row_values.h"
#include "warpline/bits.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// The bits of each input's elements; zeros where there are none.
template <class T, int Inputs, int Pieces, int Vector, int Threads, class Way>
struct HeldValues : RowPieces<Pieces, Vector, Threads, Way> {
  static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
  static constexpr int words = Vector / per_word;

  uint32_t word[Inputs][Pieces * words];

  /// An input's piece `p`, 16 bits being bf16 or T.
  WARPLINE_DEVICE void piece(int input, int p, bool bf16, float* elements) const {
    if constexpr (Way::aligned) {
      piece_as<typename Way::Type>(input, p, elements);
    } else if constexpr (sizeof(T) == 2) {
      if (bf16) {
        piece_as<__nv_bfloat16>(input, p, elements);
      } else {
        piece_as<T>(input, p, elements);
      }
    } else {
      piece_as<T>(input, p, elements);
    }
  }

  /// Call it between two loops over elements: else what the first makes of the bits is kept for the
  /// second, in twice the registers.
  WARPLINE_DEVICE void keep_bits_only() {
    WARPLINE_UNROLL
    for (uint32_t(&of_input)[Pieces * words] : word) {
      WARPLINE_UNROLL
      for (uint32_t& bits : of_input) {
        bits = isa::opaque(bits);
      }
    }
  }

  /// Pieces [First, Last) of an input from a stage's array, where the CTA's piece at offset 0 would
  /// begin at `place`. The array has whole units of 16 bytes wherever there is one of the row's
  /// elements.
  template <int First, int Last>
  WARPLINE_DEVICE void hold(int input, const T* array, int place) {
    using Unit = Pack<uint32_t, words>;
    const T* row = array + place;
    const bool units = Way::aligned || place % Vector == 0;
    WARPLINE_UNROLL
    for (int p = First; p < Last; ++p) {
      uint32_t* to = word[input] + p * words;
      const int at = this->offset(p);
      Unit bits{};
      if (units && this->whole(p)) {
        bits = isa::load_shared(*reinterpret_cast<const Unit*>(row + at));
      } else if (!Way::aligned && this->has(p)) {
        bits = bits_as<Unit>(
            wanted_of(load_shared_anywhere<Vector>(row, at, this->wanted()), at, this->wanted()));
      }
      WARPLINE_UNROLL
      for (int w = 0; w < words; ++w) {
        to[w] = bits.element[w];
      }
    }
  }

  /// Pieces of an input that the CTA has nothing of.
  template <int First, int Last>
  WARPLINE_DEVICE void hold_nothing(int input) {
    WARPLINE_UNROLL
    for (int w = First * words; w < Last * words; ++w) {
      word[input][w] = 0;
    }
  }

 private:
  template <class As>
  WARPLINE_DEVICE void piece_as(int input, int p, float* elements) const {
    WARPLINE_UNROLL
    for (int v = 0; v < Vector; ++v) {
      const uint32_t bits = word[input][p * words + v / per_word];
      if constexpr (sizeof(As) == 4) {
        elements[v] = bits_as<float>(bits);
      } else {
        const uint32_t low = v % per_word == 0 ? bits : bits >> 16;
        elements[v] = to_float(bits_as<As>(static_cast<uint16_t>(low)));
      }
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
