// CTAs that hand data to each other through global memory, on the GPU.
#include <vector>

#include "tests/simulator/global_handover.h"
#include "tests/support/device_array.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr int parts = 100;  // all of them run at once: each waits for the one before

template <class Kernel>
void check_sum(int factor) {
  std::vector<int32_t> values(parts * 64);
  std::vector<int32_t> expected(64);
  for (int i = 0; i < parts * 64; ++i) {
    values[static_cast<size_t>(i)] = i % 1001 - 500;
    expected[static_cast<size_t>(i % 64)] += factor * (i % 1001 - 500);
  }
  DeviceArray<int32_t> input(values);
  on_every_schedule(1, [&](const Stream& stream) {
    DeviceArray<int32_t> sum(std::vector<int32_t>(64));
    DeviceArray<uint32_t> turn(std::vector<uint32_t>(1));
    launch<Kernel>(stream, {parts, 1, 1}, {input.data(), sum.data(), turn.data()});
    synchronize(stream);
    REQUIRE(sum.values() == expected);
  });
}

TEST_CASE("global memory: an ordered reduction by release and acquire") {
  check_sum<OrderedSum<HandOver::right>>(1);
}

TEST_CASE("global memory: the last CTA to come sees what all have added") {
  check_sum<LastDoubles>(2);
}

TEST_CASE("global memory: floats that are added four at a time") {
  std::vector<float> values(parts * 256);
  std::vector<float> expected(256);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i % 1001) - 500);  // exact in any order
    expected[i % 256] += 2 * values[i];
  }
  DeviceArray<float> input(values);
  on_every_schedule(1, [&](const Stream& stream) {
    DeviceArray<float> sum(std::vector<float>(256));
    DeviceArray<uint32_t> turn(std::vector<uint32_t>(1));
    launch<LastDoublesFours>(stream, {parts, 1, 1}, {input.data(), sum.data(), turn.data()});
    synchronize(stream);
    REQUIRE(sum.values() == expected);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
