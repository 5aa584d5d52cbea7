// The kernel of scale.h, compiled for the GPU.
#include <vector>

#include "scale.h"

namespace pipeline_alone {

/// Throws warpline::Error where there is no GPU for it.
std::vector<float> scale_on_gpu(const std::vector<float>& in, float factor) {
  const auto check = [](cudaError_t status) { warpline::isa::check_cuda(status, "GPU"); };
  warpline::isa::require_hopper();
  const std::size_t bytes = in.size() * sizeof(float);
  float* memory = nullptr;
  check(cudaMalloc(&memory, 2 * bytes));
  float* const result = memory + in.size();
  check(cudaMemcpy(memory, in.data(), bytes, cudaMemcpyHostToDevice));
  const auto count = static_cast<int64_t>(in.size());
  warpline::launch<Scale>(nullptr, {132, 1, 1}, {memory, result, count, factor});
  warpline::synchronize(nullptr);
  std::vector<float> out(in.size());
  check(cudaMemcpy(out.data(), result, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(memory));
  return out;
}

}  // namespace pipeline_alone
