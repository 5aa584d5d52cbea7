// Memory that kernels of the unit's target can reach: the GPU's, or for the simulator this process'
// own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "warpline/launch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
#if WARPLINE_ON_GPU
    isa::check_cuda(cudaMalloc(&data_, bytes() + alignment), "a test's cudaMalloc");
#else
    data_ =
        static_cast<T*>(std::aligned_alloc(alignment, bytes() + alignment - bytes() % alignment));
    if (data_ == nullptr) {
      throw std::bad_alloc();
    }
#endif
    assign(values);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
#if WARPLINE_ON_GPU
    cudaFree(data_);
#else
    std::free(data_);
#endif
  }

  T* data() const { return data_; }

  void assign(const std::vector<T>& values) const {
#if WARPLINE_ON_GPU
    isa::check_cuda(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice),
                    "a test's upload");
#else
    std::memcpy(data_, values.data(), bytes());
#endif
  }

  /// What it holds once all queued kernels are done.
  std::vector<T> values() const {
    std::vector<T> result(count_);
#if WARPLINE_ON_GPU
    synchronize(Stream{});
    isa::check_cuda(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost),
                    "a test's download");
#else
    std::memcpy(result.data(), data_, bytes());
#endif
    return result;
  }

 private:
  static constexpr std::size_t alignment = 256;
  std::size_t bytes() const { return count_ * sizeof(T); }
  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace warpline::tests::inline WARPLINE_TARGET
