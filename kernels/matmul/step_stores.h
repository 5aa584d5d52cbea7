// Part of an accumulator, rounded to a type known at run time, goes to global memory by ordinary
// stores: any address, any strides, and no byte but the matrix' own.
#pragma once

#include <cstdint>

#include "matmul/accumulator_place.h"
#include "matmul/step_operands.h"
#include "warpline/epilogue.h"

namespace warpline::inline WARPLINE_TARGET {

namespace step_stores_detail {

using epilogue_detail::Chunk;

WARPLINE_DEVICE void store_half_word(unsigned char* place, uint32_t value) {
  isa::store_global(reinterpret_cast<uint16_t*>(place), static_cast<uint16_t>(value));
}
WARPLINE_DEVICE void store_word(unsigned char* place, uint32_t value) {
  isa::store_global(reinterpret_cast<uint32_t*>(place), value);
}

/// Stores the first `count` (of 8) 16-bit elements of `words` side by side, in the widest pieces
/// that the address allows.
WARPLINE_DEVICE void store_eight(unsigned char* place, const uint32_t (&words)[4], int count) {
  const auto address = reinterpret_cast<uintptr_t>(place);
  if (count >= 8 && address % 16 == 0) {
    isa::store_global(reinterpret_cast<Chunk*>(place),
                      Chunk{{words[0], words[1], words[2], words[3]}});
  } else if (count >= 8 && address % 4 == 0) {
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      store_word(place + i * 4, words[i]);
    }
  } else if (count >= 8) {
    store_half_word(place, words[0]);
    WARPLINE_UNROLL
    for (int i = 0; i < 3; ++i) {
      store_word(place + 2 + i * 4, words[i] >> 16 | words[i + 1] << 16);
    }
    store_half_word(place + 14, words[3] >> 16);
  } else {
    WARPLINE_UNROLL
    for (int i = 0; i < 7; ++i) {
      if (i < count) {
        store_half_word(place + i * 2, words[i / 2] >> (i % 2 * 16));
      }
    }
  }
}

}  // namespace step_stores_detail

/// Stores a warpgroup's 64 rows x `Columns` columns, of which each thread holds `x`.
template <int Columns>
class StepStores {
  using Place = AccumulatorPlace<Columns>;
  static constexpr int elements = Place::elements;

 public:
  WARPLINE_DEVICE StepStores(const float (&x)[elements], const Place& place, const StepMatrix& out)
      : x_(x), place_(place), out_(out) {}

  /// All 128 threads call it.
  WARPLINE_DEVICE void operator()(ElementType type, uint32_t lane) const {
    if (type == ElementType::fp32) {
      store_floats();
      return;
    }
    uint32_t words[elements / 2];
    if (type == ElementType::fp16) {
      pack<__half>(words);
    } else {
      pack<__nv_bfloat16>(words);
    }
    if (out_.column_bytes == 2) {
      store_rows(words, lane % 4);
    } else {
      for_each_pair([&](int index, unsigned char* at) {
        const uint32_t word = words[index / 2];
        if (place_.inside(index)) {
          step_stores_detail::store_half_word(at, word);
        }
        if (place_.inside(index + 1)) {
          step_stores_detail::store_half_word(at + out_.column_bytes, word >> 16);
        }
      });
    }
  }

 private:
  template <class T>
  WARPLINE_DEVICE void pack(uint32_t (&words)[elements / 2]) const {
    WARPLINE_UNROLL
    for (int i = 0; i < elements / 2; ++i) {
      words[i] = epilogue_detail::packed<T>(x_[2 * i], x_[2 * i + 1]);
    }
  }

  /// Four lanes exchange what they hold of a row, so that each has eight neighbouring columns.
  WARPLINE_DEVICE void store_rows(const uint32_t (&words)[elements / 2], uint32_t quad_lane) const {
    const int first_column = place_.column(0) - static_cast<int>(quad_lane) * 2;
    WARPLINE_UNROLL
    for (int line = 0; line < 2; ++line) {
      WARPLINE_UNROLL
      for (int j = 0; j < Place::pairs_in_row; j += 4) {
        uint32_t eight[4];
        WARPLINE_UNROLL
        for (int i = 0; i < 4; ++i) {
          eight[i] = j + i < Place::pairs_in_row ? words[Place::index_of(line, j + i) / 2] : 0;
        }
        epilogue_detail::transpose_quad(eight, quad_lane);
        const int chunk = j + static_cast<int>(quad_lane);
        const int column = first_column + chunk * 8;
        const int index = Place::index_of(line, 0);
        if (place_.row_inside(index) && chunk < Place::pairs_in_row) {
          step_stores_detail::store_eight(out_.at(place_.row(index), column), eight,
                                          place_.columns() - column);
        }
      }
    }
  }

  /// The pairs of four lanes are whole 32-byte sectors already.
  WARPLINE_DEVICE void store_floats() const {
    const bool paired = out_.column_bytes == 4 && out_.rows_on(8);
    struct alignas(8) Two {
      float first;
      float second;
    };
    for_each_pair([&](int index, unsigned char* at) {
      if (paired && place_.inside(index + 1)) {
        isa::store_global(reinterpret_cast<Two*>(at), Two{x_[index], x_[index + 1]});
      } else {
        if (place_.inside(index)) {
          isa::store_global(reinterpret_cast<float*>(at), x_[index]);
        }
        if (place_.inside(index + 1)) {
          isa::store_global(reinterpret_cast<float*>(at + out_.column_bytes), x_[index + 1]);
        }
      }
    });
  }

  /// visit(index, place of element `index`) for every other index, row by row: the addresses follow
  /// from each other, or the compiler would keep dozens of them in registers.
  template <class Visit>
  WARPLINE_DEVICE void for_each_pair(Visit visit) const {
    const int64_t step = 8 * out_.column_bytes;
    WARPLINE_UNROLL
    for (int line = 0; line < 2; ++line) {
      unsigned char* at = out_.at(place_.row(Place::index_of(line, 0)), place_.column(0));
      WARPLINE_UNROLL
      for (int pair = 0; pair < Place::pairs_in_row; ++pair) {
        visit(Place::index_of(line, pair), at);
        at += step;
      }
    }
  }

  const float (&x_)[elements];
  const Place& place_;
  const StepMatrix& out_;
};

}  // namespace warpline::inline WARPLINE_TARGET
