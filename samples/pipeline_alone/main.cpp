// Scales an array with the kernel of scale.h: on the simulator, then on the GPU if there is one.
#include <iostream>
#include <vector>

#include "scale.h"

namespace pipeline_alone {

#if WARPLINE_HAS_GPU
std::vector<float> scale_on_gpu(const std::vector<float>& in, float factor);
#endif

std::vector<float> scale_on_simulator(const std::vector<float>& in, float factor) {
  std::vector<float> out(in.size());
  const auto count = static_cast<int64_t>(in.size());
  warpline::launch<Scale>({}, {8, 1, 1}, {in.data(), out.data(), count, factor});
  return out;
}

}  // namespace pipeline_alone

int main() {
  std::vector<float> in;
  std::vector<float> wanted;
  for (int i = 0; i < 50'000; ++i) {  // no whole number of chunks
    in.push_back(static_cast<float>(i));
    wanted.push_back(2.5F * in.back());
  }
  bool right = pipeline_alone::scale_on_simulator(in, 2.5F) == wanted;
  std::cout << "simulator: " << (right ? "right\n" : "WRONG\n");
#if WARPLINE_HAS_GPU
  try {
    const bool gpu_right = pipeline_alone::scale_on_gpu(in, 2.5F) == wanted;
    std::cout << "GPU: " << (gpu_right ? "right\n" : "WRONG\n");
    right = right && gpu_right;
  } catch (const warpline::Error& error) {
    std::cout << "not on the GPU: " << error.what() << '\n';
  }
#endif
  return right ? 0 : 1;
}
