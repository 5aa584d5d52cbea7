// The simulator's e4m3 against NVIDIA's conversion on the host.
#include <cuda_fp8.h>

#include <random>

#include "simulator/number_formats.h"
#include "tests/support/catch.h"

namespace warpline::tests {
namespace {

TEST_CASE("e4m3: as NVIDIA's header has it") {
  std::mt19937 random(1);
  const auto same = [](float value) {
    const int wanted = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
    const int got = simulator::float_to_e4m3(value);
    // The sign of a NaN is not kept.
    return got == wanted || (got == 0x7f && (wanted & 0x7f) == 0x7f);
  };
  int differ = 0;
  for (int run = 0; run < 200'000; ++run) {
    differ += same(std::bit_cast<float>(static_cast<std::uint32_t>(random()))) ? 0 : 1;
    // Around all numbers that there are, and what lies halfway.
    const float near = static_cast<float>(random() % 4096) / 4096 * std::ldexp(1.0F, run % 20 - 10);
    differ += same(near) && same(-near) && same(std::round(near * 1024) / 1024) ? 0 : 1;
  }
  for (int step = 0; step <= 2 * 449; ++step) {
    differ += same(static_cast<float>(step) / 2) && same(std::ldexp(step, -11)) ? 0 : 1;
  }
  CHECK(differ == 0);
}

}  // namespace
}  // namespace warpline::tests
