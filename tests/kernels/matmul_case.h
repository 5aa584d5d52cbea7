// One matmul with everything around it that can go wrong: poisoned output, canaries beside every
// row, NaN beyond K.
#pragma once

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "matmul/catalog.h"
#include "tests/kernels/matmul_sums.h"
#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// The kernels of this unit's target.
inline const std::vector<MatmulKernel>& matmul_kernels() {
#if WARPLINE_ON_GPU
  return gpu_matmul_kernels();
#else
  return simulator_matmul_kernels();
#endif
}

inline std::string name_of(const MatmulKernel& kernel) {
  return std::string(kernel.name) + ", " + std::to_string(kernel.stages) + " stages of " +
         std::to_string(kernel.block_m) + " x " + std::to_string(kernel.block_n) + " x " +
         std::to_string(kernel.block_k);
}

struct MatmulShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  /// Elements between a row's end and the next row. A and B are then rounded up to what the copy
  /// engine takes.
  std::int64_t a_padding = 0;
  std::int64_t b_padding = 0;
  std::int64_t c_padding = 0;
};

inline std::string to_string(const MatmulShape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
         std::to_string(shape.k) + ", C padded by " + std::to_string(shape.c_padding);
}

/// Operands and output of a shape, in the memory of this unit's target.
class MatmulCase {
 public:
  /// Small integers, so that sums are exact in fp16, or else reals in [-1, 1].
  enum class Values { integers, reals };

  MatmulCase(const MatmulShape& shape, Values values, unsigned seed)
      : shape_(shape),
        a_stride_((shape.k + shape.a_padding + 7) / 8 * 8),
        b_stride_((shape.k + shape.b_padding + 7) / 8 * 8),
        c_stride_(shape.n + shape.c_padding),
        host_a_(operand(shape.m, a_stride_, values, seed)),
        host_b_(operand(shape.n, b_stride_, values, seed + 1)),
        host_c_(static_cast<std::size_t>(shape.m * c_stride_ + 2 * margin), poison()),
        a_(host_a_),
        b_(host_b_),
        c_(host_c_) {}

  MatmulProblem problem() const {
    return {.a = a_.data(),
            .b = b_.data(),
            .c = c_.data() + margin,
            .m = shape_.m,
            .n = shape_.n,
            .k = shape_.k,
            .a_stride = a_stride_,
            .b_stride = b_stride_,
            .c_stride = c_stride_};
  }

  void poison_output() { c_.assign(host_c_); }

  /// What is wrong with the output: nothing, or a description of the first wrong element.
  std::string exact_error() const {
    const std::vector<__half> c = c_.values();
    const std::vector<double>& sums = exact_sums();
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) - margin;
      const std::int64_t row = at / c_stride_;
      const std::int64_t column = at % c_stride_;
      if (at < 0 || row >= shape_.m || column >= shape_.n) {
        if (std::memcmp(&c[i], &host_c_[i], sizeof(__half)) != 0) {
          return "element " + std::to_string(at) + " beside the output was overwritten";
        }
        continue;
      }
      const auto wanted =
          static_cast<float>(sums[static_cast<std::size_t>(row * shape_.n + column)]);
      if (__half2float(c[i]) != __half2float(__float2half(wanted))) {
        return "C[" + std::to_string(row) + "][" + std::to_string(column) + "] is " +
               std::to_string(__half2float(c[i])) + ", not " + std::to_string(wanted);
      }
    }
    return {};
  }

  /// || C - exact || / || exact ||, in the Frobenius norm.
  double relative_error() const {
    const std::vector<__half> c = c_.values();
    const std::vector<double>& sums = exact_sums();
    double difference = 0;
    double norm = 0;
    for (std::int64_t row = 0; row < shape_.m; ++row) {
      for (std::int64_t column = 0; column < shape_.n; ++column) {
        const double wanted = sums[static_cast<std::size_t>(row * shape_.n + column)];
        const double got =
            __half2float(c[static_cast<std::size_t>(margin + row * c_stride_ + column)]);
        difference += (got - wanted) * (got - wanted);
        norm += wanted * wanted;
      }
    }
    return std::sqrt(difference / norm);
  }

 private:
  static constexpr std::int64_t margin = 256;

  static __half poison() { return __ushort_as_half(0x7ead); }

  std::vector<__half> operand(std::int64_t rows, std::int64_t stride, Values values,
                              unsigned seed) const {
    std::mt19937 random(seed);
    // Sums of up to 2048 are exact in fp16.
    const int largest = shape_.k <= 2048 / 9 ? 3 : 1;
    std::vector<__half> elements(static_cast<std::size_t>(rows * stride), poison());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t k = 0; k < shape_.k; ++k) {
        const auto integer =
            static_cast<int>(random() % static_cast<unsigned>(2 * largest + 1)) - largest;
        const float real = static_cast<float>(random() % 20001) / 10000.0f - 1.0f;
        elements[static_cast<std::size_t>(row * stride + k)] =
            __float2half(values == Values::integers ? static_cast<float>(integer) : real);
      }
    }
    return elements;
  }

  /// M x N sums in fp64, computed once.
  const std::vector<double>& exact_sums() const {
    if (sums_.empty()) {
      sums_ =
          matmul_sums(a_, b_, host_a_, host_b_, shape_.m, shape_.n, shape_.k, a_stride_, b_stride_);
    }
    return sums_;
  }

  MatmulShape shape_;
  std::int64_t a_stride_;
  std::int64_t b_stride_;
  std::int64_t c_stride_;
  std::vector<__half> host_a_;
  std::vector<__half> host_b_;
  std::vector<__half> host_c_;
  DeviceArray<__half> a_;
  DeviceArray<__half> b_;
  DeviceArray<__half> c_;
  mutable std::vector<double> sums_;
};

/// Whether the kernel's output leaves by the copy engine, which writes whole units of 16 bytes.
inline bool stores_by_copy_engine(const MatmulKernel& kernel) {
  return std::string(kernel.name).find("cooperative") == 0;
}

/// A shape that the kernel takes, with tails in every dimension more often than not.
inline MatmulShape random_shape(const MatmulKernel& kernel, std::int64_t largest,
                                std::mt19937& random) {
  const auto up_to = [&](std::int64_t limit) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  const std::int64_t k_limit = (2 * kernel.stages + 1) * kernel.block_k;
  MatmulShape shape{
      .m = up_to(largest),
      .n = kernel.static_n != 0 ? kernel.static_n : up_to(largest),
      .k = kernel.static_k != 0 ? kernel.static_k : up_to(k_limit < largest ? k_limit : largest),
      .a_padding = static_cast<std::int64_t>(random() % 3 * 8),
      .b_padding = static_cast<std::int64_t>(random() % 3 * 8),
      .c_padding = static_cast<std::int64_t>(random() % 12)};
  if (stores_by_copy_engine(kernel)) {
    shape.n = (shape.n + 7) / 8 * 8;
    shape.c_padding = shape.c_padding / 8 * 8;
  }
  return shape;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
