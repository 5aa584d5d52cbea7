// Compiled once per target: what the call asks of it.
#include "matmul/target.h"
#include "warpline/isa/device_memory.h"

namespace warpline::inline WARPLINE_TARGET {

namespace {

Stream stream_of(const Place& place) { return isa::stream_of(place.stream(), place.options()); }

const MatmulTarget target {
#if WARPLINE_ON_GPU
  .name = "GPU", .lines = gpu_matmul_lines,
#else
  .name = "simulator", .lines = simulator_matmul_lines,
#endif
  .device_of = [](const Place& place) { return isa::device_of(stream_of(place)); },
  .queueing_device = [](const Place& place) { return isa::queueing_device(stream_of(place)); },
  .multiprocessors = isa::multiprocessors, .require_memory = isa::require_memory_of,
  .allocate = isa::allocate_zeros, .release = isa::free_memory,
  .allocate_at = [](const Place& place,
                    std::size_t bytes) { return isa::allocate_zeros_on(stream_of(place), bytes); },
  .release_at = [](const Place& place, void* memory) {
    isa::free_memory_on(stream_of(place), memory);
  }
};

}  // namespace

}  // namespace warpline::inline WARPLINE_TARGET

#if WARPLINE_ON_GPU
const warpline::MatmulTarget* warpline_matmul_gpu_target() { return &warpline::target; }
#else
const warpline::MatmulTarget* warpline_matmul_simulator_target() { return &warpline::target; }
#endif
