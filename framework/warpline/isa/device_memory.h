// Which device a stream and an address belong to, and memory of it. Host code; on the simulator
// there is one device, number 0, with this process' memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "warpline/isa/launch_grid.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Device memory is aligned to this at least (cudaMalloc).
inline constexpr std::size_t device_alignment = 256;

#if WARPLINE_ON_GPU

/// The stream's device; throws Error unless it is the current one (of a stream under capture that
/// is taken on trust). Cheap.
inline int queueing_device(Stream stream) {
  int current = 0;
  check_cuda(cudaGetDevice(&current), "cannot find the current GPU");
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return current;
  }
  // A stream that is being captured refuses to be asked (cudaErrorStreamCaptureUnsupported).
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &capture), "stream: cannot tell whether it is captured");
  if (capture != cudaStreamCaptureStatusNone) {
    return current;
  }
  int device = 0;
  check_cuda(cudaStreamGetDevice(stream, &device), "stream: cannot tell which GPU it is of");
  if (device != current) {
    throw Error("stream: it is of GPU " + std::to_string(device) + ", the current one is GPU " +
                std::to_string(current) + "; call cudaSetDevice(" + std::to_string(device) +
                ") first");
  }
  return device;
}

/// Throws Error unless work can be queued on the stream now: kernels go to the current device.
inline int device_of(Stream stream) {
  require_hopper();
  require_no_pending_error();
  return queueing_device(stream);
}

/// Throws Error unless kernels on the device reach the address.
inline void require_memory_of(int device, const void* pointer, const std::string& name) {
  require_device_pointer(pointer, name);
  cudaPointerAttributes attributes;
  check_cuda(cudaPointerGetAttributes(&attributes, pointer),
             name + ": cannot tell what its address is");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device) {
    throw Error(name + ": its address is on GPU " + std::to_string(attributes.device) +
                ", the stream on GPU " + std::to_string(device));
  }
}

/// Zeros, for any stream: returns when they are there.
inline void* allocate_zeros(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes),
             "cannot allocate a workspace of " + std::to_string(bytes) + " bytes");
  cudaError_t status = cudaMemset(memory, 0, bytes);
  if (status == cudaSuccess) {
    // Streams that do not wait for the default stream would not wait for the zeros.
    status = cudaStreamSynchronize(nullptr);
  }
  if (status != cudaSuccess) {
    cudaFree(memory);
    check_cuda(status, "cannot fill a workspace with zeros");
  }
  return memory;
}

inline void free_memory(void* memory) noexcept { cudaFree(memory); }

/// Zeros for what is queued on the stream after this; nothing waits.
inline void* allocate_zeros_on(Stream stream, std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMallocAsync(&memory, bytes, stream),
             "cannot allocate a workspace of " + std::to_string(bytes) + " bytes");
  const cudaError_t status = cudaMemsetAsync(memory, 0, bytes, stream);
  if (status != cudaSuccess) {
    cudaFreeAsync(memory, stream);
    check_cuda(status, "cannot fill a workspace with zeros");
  }
  return memory;
}

/// Once what is queued on the stream is done.
inline void free_memory_on(Stream stream, void* memory) noexcept { cudaFreeAsync(memory, stream); }

#else

inline int queueing_device(const Stream&) { return 0; }

inline int device_of(const Stream&) { return 0; }

inline void require_memory_of(int, const void*, const std::string&) {}

inline void* allocate_zeros(std::size_t bytes) {
  const std::size_t whole = (bytes + device_alignment - 1) / device_alignment * device_alignment;
  void* const memory = std::aligned_alloc(device_alignment, whole);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  std::memset(memory, 0, whole);
  return memory;
}

inline void free_memory(void* memory) noexcept { std::free(memory); }

inline void* allocate_zeros_on(const Stream&, std::size_t bytes) { return allocate_zeros(bytes); }

inline void free_memory_on(const Stream&, void* memory) noexcept { free_memory(memory); }

#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
