#include "samples/support/noise.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "samples/support/matrix.h"
#include "samples/support/parallel.h"

namespace sample {

using warpline::ElementType;

namespace {

/// Calls piece(position in the sequence's first turn, elements) for each piece of a slice.
template <class Piece>
void for_pieces(std::int64_t first, std::int64_t count, const Piece& piece) {
  for (std::int64_t at = first % Noise::period; count > 0; at = 0) {
    const std::int64_t length = std::min(count, Noise::period - at);
    piece(at, length);
    count -= length;
  }
}

}  // namespace

Noise::Noise(ElementType type, std::uint64_t seed)
    : type_(type), bits_(random_matrix(1, period, seed).elements) {
  bits_.resize(static_cast<std::size_t>(period));
  if (type == ElementType::bf16) {
    in_parallel(period, [this](std::int64_t begin, std::int64_t end) {
      std::transform(
          bits_.begin() + begin, bits_.begin() + end, bits_.begin() + begin,
          [](std::uint16_t half) {
            return __bfloat16_as_ushort(__float2bfloat16_rn(__half2float(__ushort_as_half(half))));
          });
    });
  }
}

void Noise::copy(std::int64_t first, std::int64_t count, std::uint16_t* to) const {
  for_pieces(first, count, [&](std::int64_t at, std::int64_t length) {
    to = std::copy_n(bits_.begin() + at, length, to);
  });
}

Rows Noise::matrix(std::int64_t first, std::int64_t rows, std::int64_t columns) const {
  return {rows, columns, [this, first, columns](std::int64_t row, float* values) {
            for_pieces(first + row * columns, columns, [&](std::int64_t at, std::int64_t length) {
              to_floats(type_, bits_.data() + at, length, values);
              values += length;
            });
          }};
}

void to_floats(ElementType type, const std::uint16_t* from, std::int64_t count, float* to) {
  if (type == ElementType::bf16) {
    std::transform(from, from + count, to,
                   [](std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); });
  } else {
    std::transform(from, from + count, to,
                   [](std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); });
  }
}

}  // namespace sample
