// C = A * B^T on small integers, whose sums are exact in fp16.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "matmul/catalog.h"
#include "subject.h"

namespace sample {

struct MatmulSize {
  int m;
  int n;
  int k;
};

class MatmulProblemOnHost {
 public:
  explicit MatmulProblemOnHost(const MatmulSize& size)
      : size_(size),
        stride_((size.k + 7) / 8 * 8),
        a_(operand(size.m, 1)),
        b_(operand(size.n, 2)),
        c_(elements(size.m, size.n)),
        sums_(c_.size()) {
    for (int row = 0; row < size.m; ++row) {
      for (int column = 0; column < size.n; ++column) {
        float sum = 0;
        for (int k = 0; k < size.k; ++k) {
          sum += __half2float(a_[at(row, stride_, k)]) * __half2float(b_[at(column, stride_, k)]);
        }
        sums_[at(row, size.n, column)] = sum;
      }
    }
  }

  /// Whether `kernel` is right under these options.
  bool solve(const warpline::MatmulKernel& kernel, const warpline::simulator::Options& options) {
    c_.assign(c_.size(), __ushort_as_half(0x7ead));  // a NaN
    const warpline::MatmulPlan plan(kernel, {.a = a_.data(),
                                             .b = b_.data(),
                                             .c = c_.data(),
                                             .m = size_.m,
                                             .n = size_.n,
                                             .k = size_.k,
                                             .a_stride = stride_,
                                             .b_stride = stride_,
                                             .c_stride = size_.n});
    plan.run({.simulator = options});
    for (std::size_t i = 0; i < c_.size(); ++i) {
      if (__half2float(c_[i]) != sums_[i]) {
        return false;
      }
    }
    return true;
  }

 private:
  static std::size_t elements(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  static std::size_t at(int row, int stride, int column) {
    return elements(row, stride) + static_cast<std::size_t>(column);
  }

  std::vector<__half> operand(int rows, unsigned state) const {
    std::vector<__half> values(elements(rows, stride_));
    for (__half& value : values) {
      state = state * 1664525 + 1013904223;
      value = __float2half(static_cast<float>(static_cast<int>(state >> 24) % 3 - 1));
    }
    return values;
  }

  MatmulSize size_;
  int stride_;
  std::vector<__half> a_;
  std::vector<__half> b_;
  std::vector<__half> c_;
  std::vector<float> sums_;
};

/// Two tiles of C in each dimension, the second ones hanging over; enough tiles of K that every
/// stage is filled a third time at the most, and the last one hangs over.
inline Subject matmul_subject(const std::string& name, const warpline::MatmulKernel& kernel,
                              const MatmulSize& size) {
  const auto problem = std::make_shared<MatmulProblemOnHost>(size);
  return {name, [problem, kernel](const warpline::simulator::Options& options) {
            return problem->solve(kernel, options);
          }};
}

}  // namespace sample
