#include "samples/support/gpu_difference.h"

#if WARPLINE_HAS_GPU

#include <cuda_runtime_api.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "warpline/error.h"

namespace sample {

namespace {

constexpr int threads = 256;
constexpr int blocks = 1024;

struct Squares {
  double difference;
  double expected;
};

__device__ double value_of(__half x) { return __half2float(x); }
__device__ double value_of(__nv_bfloat16 x) { return __bfloat162float(x); }

/// Sums of a warp, in its first lane.
__device__ double sum_of_warp(double value) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value += __shfl_down_sync(0xffffffff, value, lanes);
  }
  return value;
}

/// One sum for each block, so that the result does not depend on who came first.
template <class T>
__global__ void __launch_bounds__(threads)
    add_squares(const T* c, const T* other, std::int64_t count, Squares* sums) {
  double difference = 0;
  double expected = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(blocks) * threads) {
    const double wanted = value_of(other[i]);
    const double off = value_of(c[i]) - wanted;
    difference += off * off;
    expected += wanted * wanted;
  }
  __shared__ Squares of_warps[threads / 32];
  difference = sum_of_warp(difference);
  expected = sum_of_warp(expected);
  if (threadIdx.x % 32 == 0) {
    of_warps[threadIdx.x / 32] = {difference, expected};
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    Squares sum{0, 0};
    for (const Squares& part : of_warps) {
      sum.difference += part.difference;
      sum.expected += part.expected;
    }
    sums[blockIdx.x] = sum;
  }
}

}  // namespace

double relative_difference(const GpuStream& stream, warpline::ElementType type, const void* c,
                           const void* other, std::int64_t count) {
  static const DeviceMemory memory(blocks * sizeof(Squares), "sums");
  auto* const sums = reinterpret_cast<Squares*>(memory.at(0));
  auto* const queue = static_cast<cudaStream_t>(stream.handle());
  if (type == warpline::ElementType::bf16) {
    add_squares<<<blocks, threads, 0, queue>>>(static_cast<const __nv_bfloat16*>(c),
                                               static_cast<const __nv_bfloat16*>(other), count,
                                               sums);
  } else {
    add_squares<<<blocks, threads, 0, queue>>>(static_cast<const __half*>(c),
                                               static_cast<const __half*>(other), count, sums);
  }
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    throw warpline::Error(std::string("cannot compare on the GPU: ") + cudaGetErrorString(status));
  }
  stream.synchronize();
  std::vector<Squares> parts(blocks);
  memory.download(parts.data(), 0, blocks * sizeof(Squares));
  Squares sum{0, 0};
  for (const Squares& part : parts) {
    sum.difference += part.difference;
    sum.expected += part.expected;
  }
  if (sum.expected == 0) {
    return sum.difference == 0 ? 0 : std::numeric_limits<double>::infinity() * sum.difference;
  }
  return std::sqrt(sum.difference / sum.expected);
}

}  // namespace sample

#endif
