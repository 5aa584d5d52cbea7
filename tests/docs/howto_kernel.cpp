#include "tests/docs/howto_kernel.h"

#include <vector>

#include "tests/docs/howto_unit.h"
#include "tests/support/device_array.h"
#include "tests/support/schedules.h"

namespace example {
namespace {

// [test]
TEST_CASE("scaled_add computes alpha * x + y and leaves the padding alone") {
  constexpr int rows = 150;    // three row tiles, the last one hangs over
  constexpr int columns = 36;  // two column tiles, the same
  constexpr int stride = 44;
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> expected;
  for (int i = 0; i < rows * stride; ++i) {
    x.push_back(static_cast<float>(i % 13));
    y.push_back(static_cast<float>(i % 7));
    expected.push_back(i % stride < columns ? 2 * x.back() + y.back() : y.back());
  }
  const tests::DeviceArray<float> device_x(x);
  for (const uint32_t ctas : {1u, 4u, 100u}) {
    tests::on_every_schedule(10, [&](const Stream& stream) {
      const tests::DeviceArray<float> device_y(y);
      scaled_add(stream, 2.0f, {device_x.data(), rows, columns, stride},
                 {device_y.data(), rows, columns, stride}, ctas);
      CHECK(device_y.values() == expected);
    });
  }
}
// [test]

TEST_CASE("scaled_add refuses what the copy engine cannot store") {
  std::vector<float> data(2560);
  CHECK_THROWS_WITH(scaled_add({}, 2.0f, {data.data(), 64, 34, 40}, {data.data(), 64, 34, 40}, 1),
                    "y: its rows are 136 bytes long; the copy engine stores whole 16-byte units "
                    "and would write past their end");
}

TEST_CASE("scaled_add runs through the declarations that know neither target") {
  const std::vector<float> x(2048, 1.0f);
  std::vector<float> y(2048, 2.0f);
  scaled_add_on_simulator({3.0f, x.data(), y.data(), 64, 32, 32}, {.seed = 5});
  CHECK(y == std::vector<float>(2048, 5.0f));
}

}  // namespace
}  // namespace example
