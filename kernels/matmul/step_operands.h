// Reading what the steps of an epilogue refer to: vectors and matrices of a type and with strides
// known at run time.
#pragma once

#include <cstdint>

#include "matmul/epilogue_steps.h"
#include "warpline/bits.h"
#include "warpline/isa/memory.h"

namespace warpline::inline WARPLINE_TARGET {

/// Two neighbouring columns.
struct FloatPair {
  float first = 0;
  float second = 0;
};

/// One matrix of a step's batch: the address of element (0, 0), and strides in bytes.
struct StepMatrix {
  unsigned char* data;
  int64_t row_bytes;
  int64_t column_bytes;

  WARPLINE_DEVICE StepMatrix(const EpilogueStep& step, int matrix) {
    const int bytes = step.type == ElementType::fp32 ? 4 : 2;
    data = static_cast<unsigned char*>(step.data) + step.batch_stride * matrix * bytes;
    row_bytes = step.row_stride * bytes;
    column_bytes = step.column_stride * bytes;
  }

  WARPLINE_DEVICE unsigned char* at(int row, int column) const {
    return data + row * row_bytes + column * column_bytes;
  }
  /// Whether each row starts at a multiple of `alignment` bytes.
  WARPLINE_DEVICE bool rows_on(uint32_t alignment) const {
    return ((reinterpret_cast<uintptr_t>(data) | static_cast<uint64_t>(row_bytes)) % alignment) ==
           0;
  }
};

/// Reads elements of `Bytes` bytes; `Paired` if two neighbouring columns can be read at once.
template <int Bytes, bool Paired>
struct PairReader {
  using Element = std::conditional_t<Bytes == 4, uint32_t, uint16_t>;
  struct alignas(2 * Bytes) Two {
    Element first;
    Element second;
  };

  bool is_bf16;
  int64_t column_bytes;

  /// From one pair of a thread to its next, eight columns further: a constant where it can be.
  WARPLINE_DEVICE int64_t pair_bytes() const { return Paired ? 8 * Bytes : 8 * column_bytes; }

  WARPLINE_DEVICE float converted(Element bits) const {
    if constexpr (Bytes == 4) {
      return bits_as<float>(bits);
    } else {
      const float as_half = __half2float(bits_as<__half>(bits));
      return is_bf16 ? bits_as<float>(static_cast<uint32_t>(bits) << 16) : as_half;
    }
  }

  WARPLINE_DEVICE float one(const unsigned char* place, bool inside) const {
    return inside ? converted(isa::load_global(reinterpret_cast<const Element*>(place))) : 0.0f;
  }

  /// The element at `place` and the next one, of which the second or both may be outside.
  WARPLINE_DEVICE FloatPair two(const unsigned char* place, bool first_inside,
                                bool second_inside) const {
    if constexpr (Paired) {
      if (second_inside && first_inside) {
        const Two both = isa::load_global(reinterpret_cast<const Two*>(place));
        return {converted(both.first), converted(both.second)};
      }
      return {one(place, first_inside), 0.0f};
    } else {
      return {one(place, first_inside), one(place + column_bytes, first_inside && second_inside)};
    }
  }
};

/// Calls `use` with the PairReader that suits the operand. The choice is the same in all threads.
template <class Use>
WARPLINE_DEVICE void with_reader(const EpilogueStep& step, const StepMatrix& operand, Use use) {
  const bool is_bf16 = step.type == ElementType::bf16;
  const int64_t column_bytes = operand.column_bytes;
  const bool contiguous = step.column_stride == 1;
  if (step.type == ElementType::fp32) {
    if (contiguous && operand.rows_on(8)) {
      use(PairReader<4, true>{is_bf16, column_bytes});
    } else {
      use(PairReader<4, false>{is_bf16, column_bytes});
    }
  } else if (contiguous && operand.rows_on(4)) {
    use(PairReader<2, true>{is_bf16, column_bytes});
  } else {
    use(PairReader<2, false>{is_bf16, column_bytes});
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
