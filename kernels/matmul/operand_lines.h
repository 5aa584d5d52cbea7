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
  /// From a matrix' first element to the end of its last one, if it owns all bytes between them:
  /// its lines have no gaps. Else 0.
  int64_t dense_bytes;
};

/// What one of 128 threads loads and stores of a tile of 64 rows x 64 columns (k), or half of it
/// where the tile has 128 rows: four vectors of eight neighbouring elements.
///
/// Lines along K: eight threads share a row's 128 bytes; the vectors lie 16 rows apart. Lines
/// across K: the vectors are four values of k for eight neighbouring rows, and are exchanged for
/// each other in registers. Either way eight threads or more store to the same row of the tile,
/// which the swizzle spreads over all banks.
///
/// No register that is loaded is used before store(): a wait for the first of many loads would hold
/// up all that follow it.
template <int Rows>
class LineVectors {
 public:
  static constexpr int tile_rows = Rows;
  static constexpr int tile_columns = 64;
  static constexpr int parts = Rows / 64;
  static_assert(Rows == 64 || Rows == 128);

  /// `rank` of the thread among the 128; `part`: which of `parts`.
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
    const unsigned char* const matrix_begin = operand_.data + matrix * operand_.batch_bytes;
    const unsigned char* place =
        matrix_begin + line * operand_.line_bytes + position * operand_.position_bytes;
    const int64_t step = line_step * operand_.line_bytes;
    const int left = operand_.length - position;
    WARPLINE_UNROLL
    for (int i = 0; i < count; ++i) {
      WARPLINE_UNROLL
      for (int word = 0; word < 8; ++word) {
        words_[i][word] = 0;
      }
    }
    const int last_line = line + (count - 1) * line_step;
    const int lines = operand_.lines;
    if (left <= 0 || line >= lines) {
      state_ = 8;
    } else if (blocks_inside(matrix_begin, place, position,
                             (last_line < lines ? last_line : lines - 1) - line)) {
      state_ = static_cast<uint32_t>(left < 8 ? left : 8);
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        load_blocks(words_[i], place, i, line + i * line_step < lines);
        place += step;
      }
    } else {
      state_ = single_elements;
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        load_elements(words_[i], place, line + i * line_step < lines ? left : 0);
        place += step;
      }
    }
  }

  /// Stores what was loaded.
  template <class Tile>
  WARPLINE_DEVICE void store(Tile& tile) const {
    static_assert(Tile::rows == tile_rows && Tile::columns == tile_columns);
    uint32_t vectors[count][4];
    const uint32_t kept = state_ & 15;
    if (kept == single_elements) {
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        pack(words_[i], vectors[i]);
      }
    } else {
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        shift_words<4, 2>(words_[i], words_[i] + 4, state_ >> (4 * i + 4) << 1, vectors[i]);
      }
      if (kept < 8) {
        drop_from(static_cast<int>(kept), vectors);
      }
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
  static constexpr int threads = 128;
  static constexpr int count = 4;
  static constexpr int row_step = 16;
  /// Threads that share eight rows of a tile whose lines lie across K.
  static constexpr int across = threads / (Rows / 8);
  static constexpr uint32_t single_elements = 0;
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
    return operand_.along_k
               ? Corner{rank / 8 + part_ * count * row_step, rank % 8 * 8}
               : Corner{rank / across * 8, rank % across * (tile_columns / across) + part_ * count};
  }

  /// Whether all bytes of the aligned blocks of 16 that hold the vectors are the operand's: those
  /// of its lines, and those between the first and the last one if there are no gaps. `place` is
  /// the first vector's; the last one lies `lines_on` lines on.
  WARPLINE_DEVICE bool blocks_inside(const unsigned char* matrix_begin, const unsigned char* place,
                                     int position, int lines_on) const {
    if (operand_.dense_bytes == 0) {
      return operand_.position_bytes == 2 && position >= 7 && position + 15 < operand_.length;
    }
    constexpr uintptr_t block = 16;
    const auto begin = reinterpret_cast<uintptr_t>(matrix_begin);
    const uintptr_t first = reinterpret_cast<uintptr_t>(place) / block * block;
    const uintptr_t last = reinterpret_cast<uintptr_t>(place + lines_on * operand_.line_bytes);
    const uintptr_t end = (last + 2 * block - 1) / block * block;
    return first >= begin && end <= begin + static_cast<uintptr_t>(operand_.dense_bytes);
  }

  /// The aligned 16 bytes that hold the first element, and the next ones if the vector goes on
  /// there.
  WARPLINE_DEVICE void load_blocks(uint32_t (&words)[8], const unsigned char* place, int index,
                                   bool inside) {
    const auto shift = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(place) % 16);
    const auto* const block = reinterpret_cast<const FourWords*>(place - shift);
    if (inside) {
      copy(isa::load_global(block), words, 0);
    }
    if (inside && shift != 0) {
      copy(isa::load_global(block + 1), words, 4);
    }
    state_ |= shift / 2 << (4 * index + 4);
  }
  static WARPLINE_DEVICE void copy(const FourWords& from, uint32_t (&words)[8], int first) {
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      words[first + i] = from.values[i];
    }
  }

  /// Element by element, each into a word; `left` of them (or more than eight) are there.
  WARPLINE_DEVICE void load_elements(uint32_t (&words)[8], const unsigned char* place,
                                     int left) const {
    WARPLINE_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (i < left) {
        words[i] = isa::load_global(reinterpret_cast<const uint16_t*>(place));
      }
      place += operand_.position_bytes;
    }
  }

  /// Eight elements, each of which has a word.
  static WARPLINE_DEVICE void pack(const uint32_t (&words)[8], uint32_t (&vector)[4]) {
    WARPLINE_UNROLL
    for (int i = 0; i < 4; ++i) {
      vector[i] = isa::permute_bytes(words[2 * i], words[2 * i + 1], 0x5410);
    }
  }

  /// Zeros for all but the first `kept` elements of each vector: the rest is another line's.
  static WARPLINE_DEVICE void drop_from(int kept, uint32_t (&vectors)[count][4]) {
    WARPLINE_UNROLL
    for (int word = 0; word < 4; ++word) {
      const uint32_t mask = kept > 2 * word + 1 ? 0xffffffffu : kept > 2 * word ? 0xffffu : 0u;
      WARPLINE_UNROLL
      for (int i = 0; i < count; ++i) {
        vectors[i][word] &= mask;
      }
    }
  }

  const LinesOperand& operand_;
  uint32_t rank_;
  int part_;
  uint32_t words_[count][8];
  /// Four bits: how many elements of a vector are its line's, up to 8; or `single_elements`. Four
  /// more for each vector: the elements before it in its first block.
  uint32_t state_ = 8;
};

}  // namespace warpline::inline WARPLINE_TARGET
