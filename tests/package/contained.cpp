// A function of a user's shared object, in C for whoever loads it.
#include <cuda_fp16.h>
#include <matmul/matmul.h>

#include <algorithm>
#include <vector>

/// Whether a product of ones, on the simulator, is right.
extern "C" int multiply_ones() {
  constexpr int size = 40;
  const std::vector<__half> ones(size * size, __float2half(1.0f));
  std::vector<__half> product(size * size, __float2half(-1.0f));
  warpline::matmul(warpline::simulator::Options{}, warpline::row_major(product.data(), size, size),
                   warpline::row_major(ones.data(), size, size),
                   warpline::row_major(ones.data(), size, size));
  return std::all_of(product.begin(), product.end(),
                     [](__half element) { return __half2float(element) == size; });
}
