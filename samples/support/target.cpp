#include "samples/support/target.h"

#include <fmt/core.h>

#include "warpline/error.h"

namespace sample {

bool takes_gpu(TargetWish wish) {
  if (wish == TargetWish::simulator) {
    return false;
  }
  const std::string why_not = why_no_gpu();
  if (why_not.empty()) {
    return true;
  }
  if (wish == TargetWish::gpu) {
    throw warpline::Error("cannot run on a GPU: " + why_not);
  }
  fmt::print("running on the simulator: {}\n", why_not);
  return false;
}

std::unique_ptr<Runner> make_runner(bool on_gpu, const Job& job) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    return make_gpu_runner(job);
  }
#endif
  (void)on_gpu;
  return make_simulator_runner(job);
}

}  // namespace sample
