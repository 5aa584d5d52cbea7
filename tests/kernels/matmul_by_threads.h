// What kernels that fill by threads must do, on either target: exact results for lines of any
// length, at any address, without gaps and with them.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/matmul_task_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// A and B have `lines` lines of `length` elements each: along K, or across it.
struct LinesShape {
  std::int64_t lines = 0;
  std::int64_t length = 0;
  bool a_along_k = true;
  bool b_along_k = true;
  std::int64_t gap = 0;     ///< elements between lines
  std::int64_t offset = 0;  ///< of both operands from an address on 256 bytes, in elements
};

inline std::string to_string(const LinesShape& shape) {
  return std::to_string(shape.lines) + " lines of " + std::to_string(shape.length) + ", A " +
         (shape.a_along_k ? "along" : "across") + " K, B " +
         (shape.b_along_k ? "along" : "across") + " K, gaps of " + std::to_string(shape.gap) +
         ", @" + std::to_string(shape.offset);
}

/// Small integers; NaN in gaps, before the first line and behind the last one. The first element of
/// the second line is infinite: if it were taken for what follows the first line, zeros of the
/// other operand would not hide it.
class LinesMatrix {
 public:
  LinesMatrix(const LinesShape& shape, bool along_k, int seed)
      : along_k_(along_k), stride_(shape.length + shape.gap), first_(guard + shape.offset) {
    std::vector<__half> elements(static_cast<std::size_t>(first_ + shape.lines * stride_ + guard),
                                 __float2half(std::numeric_limits<float>::quiet_NaN()));
    for (std::int64_t line = 0; line < shape.lines; ++line) {
      for (std::int64_t i = 0; i < shape.length; ++i) {
        const auto value = static_cast<float>((line * 7 + i * 3 + seed) % 5 - 2);
        elements[static_cast<std::size_t>(first_ + line * stride_ + i)] =
            __float2half(line == 1 && i == 0 ? std::numeric_limits<float>::infinity() : value);
      }
    }
    for (const __half element : elements) {
      values_.push_back(__half2float(element));
    }
    device_ = std::make_unique<DeviceArray<__half>>(elements);
  }

  MatmulTask::Operand operand() const {
    return {device_->data() + first_, along_k_ ? stride_ : 1, along_k_ ? 1 : stride_, 0};
  }
  float value(std::int64_t mn, std::int64_t k) const {
    return values_[static_cast<std::size_t>(first_ +
                                            (along_k_ ? mn * stride_ + k : k * stride_ + mn))];
  }
  /// Whether a row (or column) of D has the infinite element in its sums.
  bool infinite(std::int64_t mn) const { return mn == (along_k_ ? 1 : 0); }

 private:
  static constexpr std::int64_t guard = 32;
  bool along_k_;
  std::int64_t stride_;
  std::int64_t first_;
  std::vector<float> values_;
  std::unique_ptr<DeviceArray<__half>> device_;
};

inline void check_lines(const MatmulLine& line, const LinesShape& shape, const Place& place) {
  INFO(line.name << ": " << to_string(shape));
  const std::int64_t k = shape.a_along_k ? shape.length : shape.lines;
  LinesShape of_b = shape;
  // Both have the same K.
  if (shape.a_along_k != shape.b_along_k) {
    std::swap(of_b.lines, of_b.length);
  }
  const std::int64_t m = shape.a_along_k ? shape.lines : shape.length;
  const std::int64_t n = of_b.b_along_k ? of_b.lines : of_b.length;
  const LinesMatrix a(shape, shape.a_along_k, 1);
  const LinesMatrix b(of_b, shape.b_along_k, 3);
  const DeviceArray<float> d(std::vector<float>(static_cast<std::size_t>(m * n), -1.0f));
  const MatmulTask task{.m = m,
                        .n = n,
                        .k = k,
                        .a = a.operand(),
                        .b = b.operand(),
                        .d = d.data(),
                        .d_type = ElementType::fp32,
                        .d_row_stride = n};
  struct alignas(64) Block {
    unsigned char bytes[64];
  };
  std::vector<Block> arguments(line.argument_bytes / sizeof(Block) + 1);
  line.encode(task, arguments.data());
  line.launch(task, place, arguments.data());
  const std::vector<float> found = d.values();
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      if (a.infinite(row) || b.infinite(column)) {
        continue;
      }
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        sum += a.value(row, i) * b.value(column, i);
      }
      if (found[static_cast<std::size_t>(row * n + column)] != sum) {
        INFO("D[" << row << "][" << column << "]");
        REQUIRE(found[static_cast<std::size_t>(row * n + column)] == sum);
      }
    }
  }
}

/// Every way to lay out A and B, of each kernel that fills by threads. `others`: of each way the
/// lengths from 41 on, around vectors, tiles and two k tiles; else one way each.
inline void check_all_lines(const Place& place, bool others) {
  std::int64_t turn = 0;
  for (const MatmulLine& line : matmul_lines()) {
    if (line.fill != Fill::threads || line.type != ElementType::fp16) {
      continue;
    }
    for (std::int64_t length = 1; length <= 140; ++length) {
      const bool around = (length > 56 && length < 73) || length > 126;
      if (length > 40 && !around) {
        continue;
      }
      for (int way = 0; way < 8; ++way) {
        ++turn;
        if (!others && turn % 3 != 0) {
          continue;
        }
        check_lines(line,
                    {.lines = 3 + turn * 11 % 140,
                     .length = length,
                     .a_along_k = way % 2 == 0,
                     .b_along_k = way / 2 % 2 == 0,
                     .gap = way / 4 * (1 + turn % 7),
                     .offset = turn * 5 % 9},
                    place);
      }
    }
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
