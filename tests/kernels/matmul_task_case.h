// One problem for a line of the matmul table, with everything around it that can go wrong: poisoned
// output, guards around every row, NaN beyond every extent.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "matmul/line.h"
#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

inline const std::vector<MatmulLine>& matmul_lines() {
#if WARPLINE_ON_GPU
  return gpu_matmul_lines();
#else
  return simulator_matmul_lines();
#endif
}

/// Makes of a shape one that the line takes; `Shape` has m, n, k, batch and splits.
template <class Shape>
Shape taken_by(const MatmulLine& line, Shape shape) {
  if (!line.takes_splits()) {
    shape.splits = 1;
  }
  if (line.streams_b) {
    shape.m = 1 + (shape.m - 1) % line.block_m;
    shape.k = (shape.k + 7) / 8 * 8;
    shape.batch = 1;
    const auto is_taken = [&] {
      MatmulTask task;
      task.m = shape.m;
      task.n = shape.n;
      task.k = shape.k;
      return line.obstacle(task).empty();
    };
    while (!is_taken()) {
      --shape.m;
    }
  }
  return shape;
}

struct TaskShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  int splits = 1;
  bool any_order = false;
  int raster = 4;
  int max_ctas = 0;
  bool shared_a = false;  ///< by all problems of the batch
  bool shared_b = false;
  float alpha = 1;
};

inline std::string to_string(const TaskShape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
         std::to_string(shape.k) + ", batch " + std::to_string(shape.batch) + ", " +
         std::to_string(shape.splits) + " splits" + (shape.any_order ? " in any order" : "") +
         ", raster " + std::to_string(shape.raster) + ", alpha " + std::to_string(shape.alpha);
}

/// Operands are small integers, so that results are exact in 16 bits; kept as what fp16 and bf16
/// share, their bit patterns.
class TaskCase {
 public:
  TaskCase(const MatmulLine& line, const TaskShape& shape, unsigned seed)
      : line_(line),
        shape_(shape),
        random_(seed),
        a_(operand(shape.m, line.a, shape.shared_a)),
        b_(operand(shape.n, line.b, shape.shared_b)),
        transposed_(line.leave == Leave::copies_transposed),
        d_rows_(transposed_ ? shape.n : shape.m),
        d_columns_(transposed_ ? shape.m : shape.n),
        d_stride_((d_columns_ + 7) / 8 * 8 + 8),
        d_matrix_(d_rows_ * d_stride_ + 16),
        host_d_(static_cast<std::size_t>(d_matrix_ * shape.batch + 2 * margin), poison),
        device_a_(a_.elements),
        device_b_(b_.elements),
        device_d_(host_d_) {
    task_ = {.m = shape.m,
             .n = shape.n,
             .k = shape.k,
             .batch = shape.batch,
             .a = {device_a_.data(), a_.mn_stride, a_.k_stride, a_.batch_stride},
             .b = {device_b_.data(), b_.mn_stride, b_.k_stride, b_.batch_stride},
             .d = device_d_.data() + margin,
             .d_type = line.type,
             .d_row_stride = transposed_ ? 1 : d_stride_,
             .d_column_stride = transposed_ ? d_stride_ : 1,
             .d_batch_stride = d_matrix_,
             .alpha = shape.alpha,
             .splits = shape.splits,
             .any_order = shape.any_order,
             .raster = shape.raster,
             .max_ctas = shape.max_ctas};
    workspace_.resize(line.workspace_bytes(task_) / sizeof(std::uint32_t) + 1);
    device_workspace_ = std::make_unique<DeviceArray<std::uint32_t>>(workspace_);
    task_.workspace = device_workspace_->data();
    arguments_.resize((line.argument_bytes + sizeof(Line) - 1) / sizeof(Line));
    line.encode(task_, arguments_.data());
  }

  const MatmulTask& task() const { return task_; }
  bool cuts_k() const { return workspace_.size() > 1; }

  /// On a poisoned output.
  void run(const Place& place) {
    device_d_.assign(host_d_);
    launch(place);
  }
  void launch(const Place& place) { line_.launch(task_, place, arguments_.data()); }

  /// What is wrong with the output: nothing, or a description of the first wrong element.
  std::string error() const {
    const std::vector<std::uint16_t> d = device_d_.values();
    const std::vector<std::int32_t>& sums = expected_sums();
    for (std::size_t i = 0; i < d.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - margin;
      const std::int64_t matrix = at / d_matrix_;
      const std::int64_t row = at % d_matrix_ / d_stride_;
      const std::int64_t column = at % d_matrix_ % d_stride_;
      if (at < 0 || matrix >= shape_.batch || row >= d_rows_ || column >= d_columns_) {
        if (d[i] != host_d_[i]) {
          return "element " + std::to_string(at) + " beside the output was overwritten";
        }
        continue;
      }
      const std::int64_t m = transposed_ ? column : row;
      const std::int64_t n = transposed_ ? row : column;
      const float expected =
          static_cast<float>(
              sums[static_cast<std::size_t>((matrix * shape_.m + m) * shape_.n + n)]) *
          shape_.alpha;
      if (d[i] != bits_of(expected)) {
        return "D[" + std::to_string(m) + "][" + std::to_string(n) + "] of matrix " +
               std::to_string(matrix) + " is " + std::to_string(value_of(d[i])) + ", not " +
               std::to_string(expected);
      }
    }
    return {};
  }

  std::vector<std::uint16_t> output() const { return device_d_.values(); }

  /// The counters in the workspace must be zero again.
  bool workspace_is_clean() const {
    const std::vector<std::uint32_t> words = device_workspace_->values();
    const auto counters = std::min<std::size_t>(words.size(), 64);
    for (std::size_t i = 0; i < counters; ++i) {
      if (words[i] != 0) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::int64_t margin = 256;
  static constexpr std::uint16_t poison = 0x7fff;  // a NaN of both types

  struct Operand {
    std::vector<std::uint16_t> elements;
    std::vector<int> values;  ///< [matrix][mn][k]
    std::int64_t mn_stride;
    std::int64_t k_stride;
    std::int64_t batch_stride;
  };

  std::uint16_t bits_of(float value) const {
    return line_.type == ElementType::fp16 ? __half_as_ushort(__float2half(value))
                                           : __bfloat16_as_ushort(__float2bfloat16(value));
  }
  float value_of(std::uint16_t bits) const {
    return line_.type == ElementType::fp16 ? __half2float(__ushort_as_half(bits))
                                           : __bfloat162float(__ushort_as_bfloat16(bits));
  }

  Operand operand(std::int64_t extent, Contiguous contiguous, bool shared) {
    const std::int64_t inner = contiguous == Contiguous::k ? shape_.k : extent;
    const std::int64_t outer = contiguous == Contiguous::k ? extent : shape_.k;
    const std::int64_t stride = (inner + 7) / 8 * 8 + static_cast<std::int64_t>(random_() % 3 * 8);
    const std::int64_t matrices = shared ? 1 : shape_.batch;
    const std::int64_t matrix = outer * stride + 8;
    Operand result{
        .elements = std::vector<std::uint16_t>(static_cast<std::size_t>(matrices * matrix), poison),
        .values = std::vector<int>(static_cast<std::size_t>(matrices * extent * shape_.k)),
        .mn_stride = contiguous == Contiguous::k ? stride : 1,
        .k_stride = contiguous == Contiguous::k ? 1 : stride,
        .batch_stride = shared ? 0 : matrix};
    for (std::int64_t b = 0; b < matrices; ++b) {
      for (std::int64_t mn = 0; mn < extent; ++mn) {
        for (std::int64_t k = 0; k < shape_.k; ++k) {
          // Sums below 256, which bf16 holds exactly, for all but the longest K.
          const int value = static_cast<int>(random_() % 3) - 1;
          result.values[static_cast<std::size_t>((b * extent + mn) * shape_.k + k)] = value;
          result.elements[static_cast<std::size_t>(b * matrix + mn * result.mn_stride +
                                                   k * result.k_stride)] =
              bits_of(static_cast<float>(value));
        }
      }
    }
    return result;
  }

  /// [matrix][m][n], computed once.
  const std::vector<std::int32_t>& expected_sums() const {
    if (sums_.empty()) {
      for (std::int64_t matrix = 0; matrix < shape_.batch; ++matrix) {
        const int* const a =
            a_.values.data() + (shape_.shared_a ? 0 : matrix) * shape_.m * shape_.k;
        const int* const b =
            b_.values.data() + (shape_.shared_b ? 0 : matrix) * shape_.n * shape_.k;
        for (std::int64_t m = 0; m < shape_.m; ++m) {
          for (std::int64_t n = 0; n < shape_.n; ++n) {
            std::int32_t sum = 0;
            for (std::int64_t k = 0; k < shape_.k; ++k) {
              sum += a[m * shape_.k + k] * b[n * shape_.k + k];
            }
            sums_.push_back(sum);
          }
        }
      }
    }
    return sums_;
  }

  const MatmulLine& line_;
  TaskShape shape_;
  std::mt19937 random_;
  Operand a_;
  Operand b_;
  bool transposed_;
  std::int64_t d_rows_;
  std::int64_t d_columns_;
  std::int64_t d_stride_;
  std::int64_t d_matrix_;
  std::vector<std::uint16_t> host_d_;
  mutable std::vector<std::int32_t> sums_;
  DeviceArray<std::uint16_t> device_a_;
  DeviceArray<std::uint16_t> device_b_;
  DeviceArray<std::uint16_t> device_d_;
  MatmulTask task_;
  std::vector<std::uint32_t> workspace_;
  std::unique_ptr<DeviceArray<std::uint32_t>> device_workspace_;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> arguments_;
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
