// A thread's share of the rows of all inputs, in registers as they are in memory: two rows of 16
// bits take no more room than one of fp32.
#pragma once

#include <type_traits>

#include "rows/row_values.h"
#include "warpline/bits.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/opaque.h"
#include "warpline/numbers.h"
#include "warpline/pack_words.h"

namespace warpline::inline WARPLINE_TARGET {

/// Whose an element is.
struct ElementPlace {
  int thread;
  /// Among the thread's.
  int element;
};

/// A thread's elements of rows that lie anywhere, eight at a time, so that what is decided for each
/// piece is decided for eight of them: `Threads` apart.
template <int Count, int Threads, class Way>
struct StridedPieces : RowPieces<Count, 1, Threads, Way> {
  static constexpr int vector = Count < 8 ? Count : 8;
  static constexpr int pieces = Count / vector;
  static constexpr int step = Threads * vector;

  WARPLINE_DEVICE int offset(int p, int v) const { return p * step + v * Threads + this->thread; }
  WARPLINE_DEVICE bool present(int p, int v) const {
    return p * step + v * Threads < this->end - this->thread;
  }
  WARPLINE_DEVICE bool has(int p) const { return present(p, 0); }
  static WARPLINE_DEVICE ElementPlace place_of(int offset) {
    return {offset % Threads, offset / Threads};
  }
};
/// The same of aligned rows, whose pieces are accesses.
template <int Pieces, int Vector, int Threads, class Way>
struct AccessPieces : RowPieces<Pieces, Vector, Threads, Way> {
  static WARPLINE_DEVICE ElementPlace place_of(int offset) {
    constexpr int step = Threads * Vector;
    return {offset % step / Vector, offset / step * Vector + offset % Vector};
  }
};

/// The bits of each input's elements; zeros where there are none. `Pieces` are those of the
/// configuration: of rows that lie anywhere, elements.
template <class T, int Inputs, int Pieces, int Vector, int Threads, class Way>
struct HeldValues : std::conditional_t<Way::aligned, AccessPieces<Pieces, Vector, Threads, Way>,
                                       StridedPieces<Pieces, Threads, Way>> {
  using Base = RowPieces<Pieces, Vector, Threads, Way>;
  static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
  static constexpr int words = Pieces * Vector / per_word;
  using Unit = PackWords<T, Vector>;

  uint32_t word[Inputs][words];

  /// An input's piece `p`, 16 bits being bf16 or T.
  WARPLINE_DEVICE void piece(int input, int p, bool bf16, float* elements) const {
    if constexpr (Way::aligned) {
      piece_as<typename Way::Type>(input, p, elements);
    } else if (sizeof(T) == 2 && bf16) {
      piece_as<__nv_bfloat16>(input, p, elements);
    } else {
      piece_as<T>(input, p, elements);
    }
  }

  /// Call it between two loops over elements: else what the first makes of the bits is kept for the
  /// second, in twice the registers.
  WARPLINE_DEVICE void keep_bits_only() {
    WARPLINE_UNROLL
    for (uint32_t(&of_input)[words] : word) {
      WARPLINE_UNROLL
      for (uint32_t& bits : of_input) {
        bits = isa::opaque(bits);
      }
    }
  }

  /// Pieces [First, Last) of an input.
  template <int First, int Last, class Row>
  WARPLINE_DEVICE void hold(int input, const Row& row) {
    // Two single elements of 16 bits share a word.
    constexpr int pieces_at_once = sizeof(Unit) == 2 ? 2 : 1;
    WARPLINE_UNROLL
    for (int p = First; p < Last; p += pieces_at_once) {
      if (p % HeldValues::vector == 0 && !this->anyone_has(p)) {
        break;
      }
      if constexpr (sizeof(Unit) == 2) {
        word[input][p / 2] = static_cast<uint32_t>(unit(row, p).element[0]) |
                             static_cast<uint32_t>(unit(row, p + 1).element[0]) << 16;
      } else {
        const Unit bits = unit(row, p);
        WARPLINE_UNROLL
        for (int w = 0; w < Vector / per_word; ++w) {
          word[input][p * (Vector / per_word) + w] = bits.element[w];
        }
      }
    }
  }

  /// Pieces of an input that the CTA has nothing of.
  template <int First, int Last>
  WARPLINE_DEVICE void hold_nothing(int input) {
    WARPLINE_UNROLL
    for (int w = First * Vector / per_word; w < Last * Vector / per_word; ++w) {
      word[input][w] = 0;
    }
  }

 private:
  template <class Row>
  WARPLINE_DEVICE Unit unit(const Row& row, int p) const {
    return Base::has(p) ? row.template load<Unit>(Base::offset(p)) : Unit{};
  }

  template <class As>
  WARPLINE_DEVICE void piece_as(int input, int p, float* elements) const {
    WARPLINE_UNROLL
    for (int v = 0; v < HeldValues::vector; ++v) {
      const int element = p * HeldValues::vector + v;
      const uint32_t bits = word[input][element / per_word];
      if constexpr (sizeof(As) == 4) {
        elements[v] = bits_as<float>(bits);
      } else {
        const uint32_t low = element % per_word == 0 ? bits : bits >> 16;
        elements[v] = to_float(bits_as<As>(static_cast<uint16_t>(low)));
      }
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
