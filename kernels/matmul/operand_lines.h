// Reading an operand by ordinary loads: any address, any strides, and no byte but the operand's.
#pragma once

#include <cstdint>

#include "warpline/isa/memory.h"
#include "warpline/isa/opaque.h"
#include "warpline/isa/permute.h"
#include "warpline/shifted.h"
#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

/// A batch of operands of 16-bit elements. Its lines are the runs of neighbouring elements: along
/// K, or across it.
struct LinesOperand {
  const unsigned char* data;
  int64_t line_bytes;      ///< from one line to the next
  int64_t position_bytes;  ///< along a line: 2, unless nothing is contiguous
  int64_t batch_bytes;
  int lines;
  int length;
  bool along_k;
};

/// Half of what one of 128 threads loads and stores of a tile of 128 rows x 64 columns (k): four
/// vectors of eight neighbouring elements.
///
/// Lines along K: eight threads share a row's 128 bytes; the vectors lie 16 rows apart. Lines
/// across K: the vectors are four values of k for eight neighbouring rows, and are exchanged for
/// each other in registers. Either way eight threads store to the same row of the tile, which the
/// swizzle spreads over all banks.
class LineVectors {
 public:
  static constexpr int tile_rows = 128;
  static constexpr int tile_columns = 64;

  /// `rank` of the thread among the 128; `part` 0 or 1: which half.
  WARPLINE_DEVICE LineVectors(const LinesOperand& operand, uint32_t rank, int part)
      : operand_(operand), rank_(rank), part_(part) {}

  /// Starts loading the part of the tile whose first element is (row, k) of matrix `matrix`. What
  /// is outside of the operand is zero.
  WARPLINE_DEVICE void load(int row, int k, int matrix) {
    const bool along_k = operand_.along_k;
    const Corner first = corner();
    const int line = along_k ? row + first.row : k + first.column;
    const int line_step = along_k ? row_step : 1;
    const int position = along_k ? k + first.column : row + first.row;
    const unsigned char* place = operand_.data + matrix * operand_.batch_bytes +
                                 line * operand_.line_bytes + position * operand_.position_bytes;
    const int64_t step = line_step * operand_.line_bytes;
    shifts_ = 0;
    if (operand_.position_bytes == 2 && surely_inside(position)) {
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        load_wide(words_[i], place, i, line + i * line_step < operand_.lines);
        place += step;
      }
    } else {
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        const int left = line + i * line_step < operand_.lines ? operand_.length - position : 0;
        load_elements(words_[i], place, left);
        place += step;
      }
    }
  }

  /// Stores what was loaded.
  template <class Tile>
  WARPLINE_DEVICE void store(Tile& tile) const {
    static_assert(Tile::rows == tile_rows && Tile::columns == tile_columns);
    uint32_t vectors[count][4];
    WARPLINE_UNROLL
    for (int i = 0; i < count; ++i) {
      shift_words<4, 2>(words_[i], words_[i] + 4, shifts_ >> (4 * i) << 1, vectors[i]);
    }
    const Corner first = corner();
    if (operand_.along_k) {
      // The swizzle repeats every eight rows.
      auto* const place = static_cast<unsigned char*>(tile.chunk(first.row, first.column));
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        isa::store_shared(*reinterpret_cast<FourWords*>(place + i * row_step * Tile::span_bytes),
                          FourWords{{vectors[i][0], vectors[i][1], vectors[i][2], vectors[i][3]}});
      }
    } else {
      WARPLINE_UNROLL
      for (int i = 0; i < 8; ++i) {
        const uint32_t selector = i % 2 == 0 ? 0x5410 : 0x7632;
        isa::store_shared(
            *static_cast<TwoWords*>(tile.chunk(first.row + i, first.column)),
            TwoWords{{isa::permute_bytes(vectors[0][i / 2], vectors[1][i / 2], selector),
                      isa::permute_bytes(vectors[2][i / 2], vectors[3][i / 2], selector)}});
      }
    }
  }

 private:
  static constexpr int count = 4;
  static constexpr int row_step = 16;
  struct alignas(16) FourWords {
    uint32_t values[4];
  };
  struct alignas(8) TwoWords {
    uint32_t values[2];
  };

  /// Where the first vector goes in the tile.
  struct Corner {
    int row;
    int column;
  };
  WARPLINE_DEVICE Corner corner() const {
    // Or the compiler keeps all addresses that follow from it in registers, and spills.
    const auto rank = static_cast<int>(isa::opaque(rank_));
    return operand_.along_k ? Corner{rank / 8 + part_ * count * row_step, rank % 8 * 8}
                            : Corner{rank / 8 * 8, rank % 8 * 8 + part_ * count};
  }

  /// Whether the two aligned blocks of 16 bytes around a vector at `position` lie in its line.
  WARPLINE_DEVICE bool surely_inside(int position) const {
    return position >= 7 && position + 15 < operand_.length;
  }

  /// The aligned 16 bytes that hold the first element, and the next ones if the vector goes on
  /// there.
  WARPLINE_DEVICE void load_wide(uint32_t (&words)[8], const unsigned char* place, int index,
                                 bool inside) {
    const auto shift = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(place) % 16);
    const auto* const block = reinterpret_cast<const FourWords*>(place - shift);
    FourWords first{};
    FourWords second{};
    if (inside) {
      first = isa::load_global(block);
    }
    if (inside && shift != 0) {
      second = isa::load_global(block + 1);
    }
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      words[i] = first.values[i];
      words[4 + i] = second.values[i];
    }
    shifts_ |= shift / 2 << (4 * index);
  }

  /// Element by element; `left` of them (or more than eight) are there.
  WARPLINE_DEVICE void load_elements(uint32_t (&words)[8], const unsigned char* place,
                                     int left) const {
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      words[i] = 0;
      words[4 + i] = 0;
    }
    WARPLINE_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (i < left) {
        const uint32_t bits = isa::load_global(
            reinterpret_cast<const uint16_t*>(place + i * operand_.position_bytes));
        words[i / 2] |= bits << (i % 2 * 16);
      }
    }
  }

  const LinesOperand& operand_;
  uint32_t rank_;
  int part_;
  uint32_t words_[count][8];
  uint32_t shifts_ = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
