// The little of the CUDA runtime that this program uses. Without GPU kernels in the build there is
// no CUDA at all, and only why_no_gpu() remains.
#pragma once

#include <cstddef>
#include <string>

#ifndef WARPLINE_HAS_GPU
#define WARPLINE_HAS_GPU 0
#endif

namespace sample {

/// Makes the first GPU that can run the kernels the current one and returns an empty string; or
/// returns why there is none.
std::string why_no_gpu();

#if WARPLINE_HAS_GPU

struct GpuFacts {
  std::string name;
  std::string bus_id;
  /// "580.65.06", or what CUDA version it is for.
  std::string driver;
  int multiprocessors;
  std::size_t free_bytes;
};
GpuFacts gpu_facts();

/// Memory of the current GPU. What is copied is copied at once.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, const std::string& purpose);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  unsigned char* at(std::size_t offset) const { return data_ + offset; }
  void upload(std::size_t offset, const void* from, std::size_t bytes) const;
  void download(void* to, std::size_t offset, std::size_t bytes) const;
  /// From the beginning of other memory.
  void copy(std::size_t to, const DeviceMemory& from, std::size_t bytes) const;
  /// From one place of this memory to another.
  void duplicate(std::size_t to, std::size_t from, std::size_t bytes) const;

 private:
  unsigned char* data_ = nullptr;
};

class GpuStream {
 public:
  GpuStream();
  ~GpuStream();
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;

  /// A cudaStream_t.
  void* handle() const { return stream_; }
  void synchronize() const;
  /// Queues the same byte into all of the memory.
  void fill(void* memory, std::size_t bytes, int byte = 0) const;

 private:
  void* stream_ = nullptr;
};

class GpuEvent {
 public:
  GpuEvent();
  ~GpuEvent();
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;

  void record(const GpuStream& stream);
  void wait() const;
  /// Both must have happened.
  double milliseconds_since(const GpuEvent& earlier) const;

 private:
  void* event_ = nullptr;
};

#endif

}  // namespace sample
