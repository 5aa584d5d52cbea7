#include "matmul/target.h"

#include "warpline/error.h"

extern "C" {
// A program is linked with one of them, or both.
[[gnu::weak]] const warpline::MatmulTarget* warpline_matmul_gpu_target();
[[gnu::weak]] const warpline::MatmulTarget* warpline_matmul_simulator_target();
}

namespace warpline {

const MatmulTarget& matmul_target(const Place& place) {
  const auto target =
      place.on_gpu() ? warpline_matmul_gpu_target : warpline_matmul_simulator_target;
  if (target == nullptr) {
    throw Error(place.on_gpu()
                    ? "this program is linked without the GPU's kernels (warpline::matmul_gpu)"
                    : "this program is linked without the simulator's kernels "
                      "(warpline::matmul_simulator)");
  }
  return *target();
}

std::vector<const MatmulTarget*> linked_matmul_targets() {
  std::vector<const MatmulTarget*> targets;
  if (warpline_matmul_gpu_target != nullptr) {
    targets.push_back(warpline_matmul_gpu_target());
  }
  if (warpline_matmul_simulator_target != nullptr) {
    targets.push_back(warpline_matmul_simulator_target());
  }
  return targets;
}

}  // namespace warpline
