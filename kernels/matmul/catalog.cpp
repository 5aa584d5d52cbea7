// Compiled once per target: the list of that target's kernels.
#include "matmul/catalog.h"

#include <algorithm>

#include "matmul/entry.h"
#if WARPLINE_ON_GPU
#include "warpline/isa/trace_host.h"
#endif

namespace warpline {

inline namespace WARPLINE_TARGET {

MatmulKernelLines warp_specialized_64_16();
MatmulKernelLines warp_specialized_64_32();
MatmulKernelLines warp_specialized_64_64();
MatmulKernelLines warp_specialized_128_16();
MatmulKernelLines warp_specialized_128_32();
MatmulKernelLines warp_specialized_128_64();
MatmulKernelLines warp_specialized_variants();
MatmulKernelLines cooperative();

namespace {

std::vector<MatmulKernel> all_kernels() {
  std::vector<MatmulKernel> kernels;
  for (const auto unit : {warp_specialized_128_64, warp_specialized_128_32, warp_specialized_128_16,
                          warp_specialized_64_64, warp_specialized_64_32, warp_specialized_64_16,
                          warp_specialized_variants, cooperative}) {
    const MatmulKernelLines lines = unit();
    kernels.insert(kernels.end(), lines.first, lines.first + lines.count);
  }
  return kernels;
}

}  // namespace

}  // namespace WARPLINE_TARGET

#if WARPLINE_ON_GPU
void synchronize_gpu_matmuls(const MatmulPlace& place) {
  synchronize(isa::stream_of(place.stream, place.simulator));
}

void begin_gpu_timeline(std::uint32_t multiprocessors) {
  isa::start_trace({.multiprocessors = multiprocessors});
}

timeline::Trace end_gpu_timeline(const MatmulPlace& place) {
  timeline::Trace trace = isa::finish_trace(isa::stream_of(place.stream, place.simulator));
  isa::stop_trace();
  return trace;
}

const std::vector<MatmulKernel>& gpu_matmul_kernels() {
#else
const std::vector<MatmulKernel>& simulator_matmul_kernels() {
#endif
  static const std::vector<MatmulKernel> kernels = all_kernels();
  return kernels;
}

}  // namespace warpline
