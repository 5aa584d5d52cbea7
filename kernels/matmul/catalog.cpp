// Compiled once per target: the list of that target's kernels.
#include "matmul/catalog.h"

#include <algorithm>

#include "matmul/entry.h"

namespace warpline {

inline namespace WARPLINE_TARGET {

MatmulKernelLines warp_specialized_64();
MatmulKernelLines warp_specialized_128();
MatmulKernelLines warp_specialized_variants();
MatmulKernelLines cooperative();

namespace {

std::vector<MatmulKernel> all_kernels() {
  std::vector<MatmulKernel> kernels;
  for (const auto unit :
       {warp_specialized_128, warp_specialized_64, warp_specialized_variants, cooperative}) {
    const MatmulKernelLines lines = unit();
    kernels.insert(kernels.end(), lines.first, lines.first + lines.count);
  }
  return kernels;
}

}  // namespace

}  // namespace WARPLINE_TARGET

#if WARPLINE_ON_GPU
const std::vector<MatmulKernel>& gpu_matmul_kernels() {
#else
const std::vector<MatmulKernel>& simulator_matmul_kernels() {
#endif
  static const std::vector<MatmulKernel> kernels = all_kernels();
  return kernels;
}

}  // namespace warpline
