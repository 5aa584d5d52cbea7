// RMSNorm and LayerNorm on the GPU.
#include <algorithm>

#include "tests/kernels/norm_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("norms on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1,     7,     8,     63,    64,    200,   256,    257,    1000,   1024,  1025,
        1032,  4000,  4096,  4099,  4104,  5120,  5128,   7168,   8192,   8191,  16384,
        16383, 30000, 32768, 32769, 65536, 65537, 131072, 131071, 262144, 200001}) {
    for (const std::int64_t padding : {0, 8, 3}) {
      ++seed;
      const std::int64_t rows =
          std::max<std::int64_t>(3, std::min<std::int64_t>(5000, 600000 / columns));
      const RowShape shape{.rows = rows, .columns = columns, .padding = padding};
      check_norm({.layer = seed % 2 == 0,
                  .x_type = types[seed % 3],
                  .y_type = types[seed / 3 % 3],
                  .weight_type = types[seed / 5 % 3],
                  .x = shape,
                  .y = shape,
                  .weight = seed % 5 != 0,
                  .bias = seed % 3 == 0,
                  .residual = seed / 2 % 2 == 0,
                  .fp8 = seed % 4 < 2,
                  .only = seed % 8 == 1,
                  .shift = seed / 4 % 2 * 50.0},
                 Stream{}, seed);
    }
  }
}

TEST_CASE("norms on the GPU: again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_norm({.layer = true,
                .x = {.rows = 20, .columns = 40000},
                .y = {.rows = 20, .columns = 40000},
                .residual = true},
               stream, 1);
    check_norm({.x = {.rows = 999, .columns = 136}, .y = {.rows = 999, .columns = 136}}, stream, 2);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
