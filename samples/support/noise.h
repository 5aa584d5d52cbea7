// Random operands of any size without making or moving them: one short sequence of normal numbers,
// repeated. It is written to the GPU once; every operand of every problem is a slice of it.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/support/gpu.h"
#include "samples/support/reference.h"
#include "tensor/matrix.h"

namespace sample {

class Noise {
 public:
  /// The first prime above 2^24: no stride that a kernel may confuse with another leads back to the
  /// same numbers.
  static constexpr std::int64_t period = 16'777'259;

  /// fp16 or bf16. Standard deviation 0.5, as random_matrix.
  Noise(warpline::ElementType type, std::uint64_t seed);

  warpline::ElementType type() const { return type_; }
  const std::vector<std::uint16_t>& bits() const { return bits_; }

  /// Elements `first` to `first + count - 1` of the sequence.
  void copy(std::int64_t first, std::int64_t count, std::uint16_t* to) const;

  /// A row-major matrix whose first element is element `first`. The noise must outlive it.
  Rows matrix(std::int64_t first, std::int64_t rows, std::int64_t columns) const;

 private:
  warpline::ElementType type_;
  std::vector<std::uint16_t> bits_;
};

/// fp16 or bf16 as fp32, exactly.
void to_floats(warpline::ElementType type, const std::uint16_t* from, std::int64_t count,
               float* to);

/// What a relative error norm may be: 8 times as much for bf16, which has 3 bits less.
constexpr double error_limit_of(warpline::ElementType type) {
  return type == warpline::ElementType::bf16 ? 8 * error_limit : error_limit;
}

}  // namespace sample
