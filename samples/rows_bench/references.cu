#include <thrust/iterator/discard_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <string>

#include "samples/rows_bench/references.h"
#include "warpline/error.h"

namespace sample::rows {

namespace {

void check(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) {
    throw warpline::Error(std::string(doing) + ": " + cudaGetErrorString(status));
  }
}

__global__ void copy_kernel(int4* to, const int4* from, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    to[i] = from[i];
  }
}

}  // namespace

void copy_by_kernel(CUstream_st* stream, void* to, const void* from, std::size_t bytes) {
  constexpr unsigned threads = 256;
  const std::size_t count = bytes / sizeof(int4);
  copy_kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(
      static_cast<int4*>(to), static_cast<const int4*>(from), count);
  check(cudaGetLastError(), "copy by a kernel");
}

void copy_by_runtime(CUstream_st* stream, void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copy");
}

std::size_t cub_sum_workspace(std::int64_t count) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const std::int32_t*>(nullptr),
                               static_cast<std::int32_t*>(nullptr), count),
        "ask CUB for its workspace");
  return bytes;
}

void cub_sum(CUstream_st* stream, std::int32_t* out, const std::int32_t* in, std::int64_t count,
             void* workspace, std::size_t workspace_bytes) {
  check(cub::DeviceReduce::Sum(workspace, workspace_bytes, in, out, count, stream), "cub's sum");
}

std::size_t cub_argmax_workspace(std::int64_t count) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::ArgMax(nullptr, bytes, static_cast<const std::int32_t*>(nullptr),
                                  thrust::make_discard_iterator(),
                                  static_cast<std::int64_t*>(nullptr), count),
        "ask CUB for its workspace");
  return bytes;
}

void cub_argmax(CUstream_st* stream, std::int64_t* out, const std::int32_t* in, std::int64_t count,
                void* workspace, std::size_t workspace_bytes) {
  check(cub::DeviceReduce::ArgMax(workspace, workspace_bytes, in, thrust::make_discard_iterator(),
                                  out, count, stream),
        "cub's argmax");
}

}  // namespace sample::rows
