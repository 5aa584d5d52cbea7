// What all probes share: memory of the target, launches that cannot hang, and small device helpers.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/differential/dice.h"
#include "tests/differential/results.h"
#include "warpline/isa/clock.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/warp.h"
#include "warpline/launch.h"
#include "warpline/role.h"
#include "warpline/static_for.h"
#include "warpline/thread_group.h"

#if WARPLINE_ON_GPU
#include <chrono>
#include <thread>
#endif

namespace warpline::tests::inline WARPLINE_TARGET {

/// What shared memory holds that no probe has written.
inline constexpr unsigned char canary = 0xa5;
inline constexpr uint32_t canary_word = 0xa5a5a5a5;

/// Bytes in the memory that kernels of this target read and write.
class TargetBytes {
 public:
  explicit TargetBytes(const Bytes& bytes) : size_(bytes.size()) {
#if WARPLINE_ON_GPU
    void* memory = nullptr;
    isa::check_cuda(cudaMalloc(&memory, size_ + alignment), "test memory");
    data_.reset(static_cast<unsigned char*>(memory));
    isa::check_cuda(cudaMemcpy(data_.get(), bytes.data(), size_, cudaMemcpyHostToDevice),
                    "copy to the GPU");
#else
    data_.reset(static_cast<unsigned char*>(
        std::aligned_alloc(alignment, (size_ + 2 * alignment - 1) / alignment * alignment)));
    std::memcpy(data_.get(), bytes.data(), size_);
#endif
  }

  unsigned char* data() const { return data_.get(); }

  Bytes read() const {
    Bytes bytes(size_);
#if WARPLINE_ON_GPU
    isa::check_cuda(cudaMemcpy(bytes.data(), data_.get(), size_, cudaMemcpyDeviceToHost),
                    "copy from the GPU");
#else
    std::memcpy(bytes.data(), data_.get(), size_);
#endif
    return bytes;
  }

 private:
  static constexpr std::size_t alignment = 256;
  struct Free {
    void operator()(unsigned char* memory) const {
#if WARPLINE_ON_GPU
      cudaFree(memory);
#else
      std::free(memory);
#endif
    }
  };
  std::size_t size_;
  std::unique_ptr<unsigned char, Free> data_;
};

/// Where a case runs: once on the GPU, under three schedules on the simulator.
inline std::vector<Stream> all_streams(uint64_t seed) {
#if WARPLINE_ON_GPU
  (void)seed;
  return {Stream{}};
#else
  using simulator::Policy;
  std::vector<Stream> streams;
  for (const Policy policy : {Policy::fair, Policy::random, Policy::adversarial}) {
    streams.push_back(Stream{.options = {.seed = seed, .policy = policy}});
  }
  return streams;
#endif
}

/// One of all_streams.
inline Stream one_stream(uint64_t seed) {
  const auto streams = all_streams(seed);
  return streams[seed % streams.size()];
}

/// Runs a probe to its end. On the GPU a kernel that makes none takes the process with it: nothing
/// else would free the GPU of it.
template <class Probe>
void run_probe(const Stream& stream, isa::Index3 grid, const typename Probe::Arguments& arguments) {
  launch<Probe>(stream, grid, arguments);
#if WARPLINE_ON_GPU
  const auto start = std::chrono::steady_clock::now();
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) {
      std::fprintf(stderr, "%s hangs\n", Probe::launch.name);
      std::_Exit(EXIT_FAILURE);
    }
    std::this_thread::yield();
  }
#endif
  synchronize(stream);
}

/// One warpgroup.
struct ProbeRole {
  static constexpr RoleConfig config{.name = "probe", .warps = 4, .multiplies = true};
};
inline constexpr uint32_t probe_threads = 128;

/// Waits for a phase, but not for ever.
WARPLINE_DEVICE void bounded_wait(isa::Mbarrier& barrier, uint32_t parity) {
  const uint64_t start = isa::global_nanoseconds();
  while (!isa::mbarrier_try_wait(barrier, parity)) {
    if (isa::global_nanoseconds() - start > 1'000'000'000) {
#if WARPLINE_ON_GPU
      __trap();
#else
      throw std::runtime_error("a probe waits for ever");
#endif
    }
  }
}

/// Thread 0 prepares a barrier that the copy engine and all threads of the CTA may use afterwards.
WARPLINE_DEVICE void init_barriers(isa::Mbarrier* barriers, int count, uint32_t arrivals) {
  if (isa::thread_index() == 0) {
    for (int i = 0; i < count; ++i) {
      isa::mbarrier_init(barriers[i], arrivals);
    }
    isa::fence_mbarrier_init();
  }
  isa::syncthreads();
}

/// All threads write `words` words, and hand them to the copy engine: word i is pattern(seed, i),
/// or the canary.
WARPLINE_DEVICE void fill_shared(uint32_t* shared, uint32_t words, uint32_t seed,
                                 bool with_canary) {
  for (uint32_t i = isa::thread_index(); i < words; i += probe_threads) {
    isa::store_shared(shared[i], with_canary ? canary_word : pattern(seed, i));
  }
  isa::fence_proxy_async_shared();
  isa::syncthreads();
}

/// All threads copy shared memory out.
WARPLINE_DEVICE void dump_shared(uint32_t* global, const uint32_t* shared, uint32_t words) {
  for (uint32_t i = isa::thread_index(); i < words; i += probe_threads) {
    isa::store_global(&global[i], isa::load_shared(shared[i]));
  }
}

/// What fill_shared writes.
inline Bytes filled(uint32_t bytes, uint32_t seed) {
  Bytes result(bytes);
  for (uint32_t i = 0; i < bytes / 4; ++i) {
    const uint32_t word = pattern(seed, i);
    std::memcpy(&result[i * 4], &word, 4);
  }
  return result;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
