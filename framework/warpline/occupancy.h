// How many CTAs of a kernel are on the chip together: what a persistent kernel starts. Host code.
#pragma once

#include "warpline/launch.h"

namespace warpline::inline WARPLINE_TARGET {

/// Of the current device; whole clusters. On the simulator so few that persistent kernels have
/// several tiles for each CTA.
template <Kernel K>
int resident_ctas() {
#if WARPLINE_ON_GPU
  const isa::GridShape shape = shape_of<K>({1, 1, 1});
  isa::prepare_kernel<K>(shape);
  const std::string doing = std::string("kernel ") + shape.name + ": cannot tell how many CTAs fit";
  int count = 0;
  if (shape.cluster.size() == 1) {
    isa::check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, isa::kernel_entry<K>, shape.threads,
                                                      static_cast<size_t>(shape.shared_bytes)),
        doing);
    count *= isa::multiprocessors();
  } else {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(shape.cluster.x),
                                static_cast<unsigned>(shape.cluster.y), 1};
    cudaLaunchConfig_t config = {};
    config.gridDim =
        dim3(static_cast<unsigned>(shape.cluster.x), static_cast<unsigned>(shape.cluster.y));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
    config.attrs = &attribute;
    config.numAttrs = 1;
    isa::check_cuda(cudaOccupancyMaxActiveClusters(&count, isa::kernel_entry<K>, &config), doing);
    count *= shape.cluster.size();
  }
  if (count == 0) {
    throw Error(std::string("kernel ") + shape.name + ": a cluster of " +
                std::to_string(shape.cluster.size()) + " CTAs does not fit on this GPU");
  }
  return count;
#else
  return 2 * K::launch.cluster.size();
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
