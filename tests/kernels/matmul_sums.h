// The sums that a matmul should give, in fp64: on the GPU by the plainest kernel, for the simulator
// on the host.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <vector>

#include "tests/support/device_array.h"

namespace warpline::tests::inline WARPLINE_TARGET {

#if WARPLINE_ON_GPU

__global__ inline void plain_matmul(const __half* a, const __half* b, double* sums, std::int64_t m,
                                    std::int64_t n, std::int64_t k, std::int64_t a_stride,
                                    std::int64_t b_stride) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= m * n) {
    return;
  }
  double sum = 0;
  for (std::int64_t at = 0; at < k; ++at) {
    sum += static_cast<double>(__half2float(a[i / n * a_stride + at])) *
           static_cast<double>(__half2float(b[i % n * b_stride + at]));
  }
  sums[i] = sum;
}

inline std::vector<double> matmul_sums(const DeviceArray<__half>& a, const DeviceArray<__half>& b,
                                       const std::vector<__half>&, const std::vector<__half>&,
                                       std::int64_t m, std::int64_t n, std::int64_t k,
                                       std::int64_t a_stride, std::int64_t b_stride) {
  if (m * n == 0) {
    return {};  // a grid of nothing is refused, and the refusal would be the next launch's
  }
  const DeviceArray<double> sums(std::vector<double>(static_cast<std::size_t>(m * n)));
  plain_matmul<<<static_cast<unsigned>((m * n + 255) / 256), 256>>>(a.data(), b.data(), sums.data(),
                                                                    m, n, k, a_stride, b_stride);
  isa::check_cuda(cudaGetLastError(), "the reference matmul");
  return sums.values();
}

#else

inline std::vector<double> matmul_sums(const DeviceArray<__half>&, const DeviceArray<__half>&,
                                       const std::vector<__half>& a, const std::vector<__half>& b,
                                       std::int64_t m, std::int64_t n, std::int64_t k,
                                       std::int64_t a_stride, std::int64_t b_stride) {
  // Converted once: element by element in the loop this was a third of the matmuls' tests.
  const auto numbers = [](const std::vector<__half>& values) {
    std::vector<float> result;
    result.reserve(values.size());
    for (const __half value : values) {
      result.push_back(__half2float(value));
    }
    return result;
  };
  const std::vector<float> a_numbers = numbers(a);
  const std::vector<float> b_numbers = numbers(b);
  std::vector<double> sums;
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      const float* const a_row = a_numbers.data() + row * a_stride;
      const float* const b_row = b_numbers.data() + column * b_stride;
      double sum = 0;
      for (std::int64_t at = 0; at < k; ++at) {
        sum += static_cast<double>(a_row[at]) * static_cast<double>(b_row[at]);
      }
      sums.push_back(sum);
    }
  }
  return sums;
}

#endif

}  // namespace warpline::tests::inline WARPLINE_TARGET
