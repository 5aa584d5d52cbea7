// What the kernels of rows are measured against: copies of the same bytes, and CUB.
#pragma once

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <cstddef>
#include <cstdint>

#include "tensor/place.h"

namespace sample::rows {

/// A plain kernel: 16 bytes a thread, as many CTAs as that makes. `bytes` is a multiple of 16.
void copy_by_kernel(CUstream_st* stream, void* to, const void* from, std::size_t bytes);

/// cudaMemcpyAsync.
void copy_by_runtime(CUstream_st* stream, void* to, const void* from, std::size_t bytes);

/// cub::DeviceReduce::Sum.
std::size_t cub_sum_workspace(std::int64_t count);
void cub_sum(CUstream_st* stream, std::int32_t* out, const std::int32_t* in, std::int64_t count,
             void* workspace, std::size_t workspace_bytes);

/// cub::DeviceReduce::ArgMax.
std::size_t cub_argmax_workspace(std::int64_t count);
void cub_argmax(CUstream_st* stream, std::int64_t* out, const std::int32_t* in, std::int64_t count,
                void* workspace, std::size_t workspace_bytes);

}  // namespace sample::rows

#endif
