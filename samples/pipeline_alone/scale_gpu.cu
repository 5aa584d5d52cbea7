// The kernel of scale.h, compiled for the GPU.
#include <optional>
#include <vector>

#include "scale.h"
#include "warpline/trace_session.h"

namespace pipeline_alone {

/// Throws warpline::Error where there is no GPU for it.
std::vector<float> scale_on_gpu(const std::vector<float>& in, float factor,
                                warpline::timeline::Trace* trace) {
  const auto check = [](cudaError_t status) { warpline::isa::check_cuda(status, "GPU"); };
  warpline::isa::require_hopper();
  const std::size_t bytes = in.size() * sizeof(float);
  float* memory = nullptr;
  check(cudaMalloc(&memory, 2 * bytes));
  float* const result = memory + in.size();
  check(cudaMemcpy(memory, in.data(), bytes, cudaMemcpyHostToDevice));
  const auto count = static_cast<int64_t>(in.size());
  warpline::Stream stream = nullptr;
  std::optional<warpline::TraceSession> session;
  if (trace != nullptr) {
    session.emplace(stream);
  }
  warpline::launch<Scale>(stream, {132, 1, 1}, {memory, result, count, factor});
  warpline::synchronize(stream);
  if (session) {
    *trace = session->finish();
  }
  std::vector<float> out(in.size());
  check(cudaMemcpy(out.data(), result, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(memory));
  return out;
}

}  // namespace pipeline_alone
