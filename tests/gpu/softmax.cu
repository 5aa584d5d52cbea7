// Softmax on the GPU, with what the simulator has no time for: many rows, the longest ones.
#include "tests/kernels/softmax_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("softmax on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1,     7,     8,     63,    64,    200,   256,    257,    1000,   1024,  1025,
        1032,  4000,  4096,  4099,  4104,  5120,  5128,   7168,   8192,   8191,  16384,
        16383, 30000, 32768, 32769, 65536, 65537, 131072, 131071, 262144, 200001}) {
    for (const std::int64_t padding : {0, 8, 3}) {
      ++seed;
      const std::int64_t rows =
          std::max<std::int64_t>(3, std::min<std::int64_t>(5000, 600000 / columns));
      check_softmax(
          plain_softmax(types[seed % 3], {.rows = rows, .columns = columns, .padding = padding}),
          Stream{}, seed);
    }
  }
}

TEST_CASE("softmax on the GPU: scale, masks, logarithm, types") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000, 40000}) {
    for (const ElementType y_type : types) {
      ++seed;
      const RowShape shape{.rows = 12, .columns = columns};
      check_softmax({.x_type = types[seed % 3],
                     .y_type = y_type,
                     .x = shape,
                     .y = {.rows = 12, .columns = columns, .padding = seed % 2 * 8},
                     .scale = seed % 2 == 0 ? 0.125f : -2.0f,
                     .logarithm = seed % 3 == 0,
                     .mask_rows = seed % 4 * 3,
                     .causal = seed % 2 == 0,
                     .causal_rows = seed % 4 * 2,
                     .causal_offset = static_cast<std::int64_t>(seed % 3) * 2},
                    Stream{}, seed);
    }
  }
}

TEST_CASE("softmax on the GPU: again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_softmax(plain_softmax(ElementType::bf16, {.rows = 20, .columns = 40000}), stream, 1);
    check_softmax(plain_softmax(ElementType::bf16, {.rows = 999, .columns = 136}), stream, 2);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
