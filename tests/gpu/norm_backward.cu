// The gradients of RMSNorm and LayerNorm on the GPU.
#include <algorithm>

#include "tests/kernels/norm_backward_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("norm gradients on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1,    7,    64,   128,   129,   200,   512,   520,    1000,   2048,   2056,   4096,  4104,
        5120, 8192, 8191, 12000, 32768, 32769, 50257, 131072, 131071, 131080, 262144, 200001}) {
    for (const std::int64_t padding : {0, 8, 3}) {
      ++seed;
      const std::int64_t rows =
          std::max<std::int64_t>(3, std::min<std::int64_t>(5000, 600000 / columns));
      const RowShape shape{.rows = rows, .columns = columns, .padding = padding};
      check_norm_backward({.layer = seed % 2 == 0,
                           .type = types[seed % 3],
                           .weight_type = types[seed / 5 % 3],
                           .gradient_type = types[seed / 3 % 3],
                           .h = shape,
                           .dx = shape,
                           .weight = seed % 5 != 0,
                           .dsum = seed / 2 % 2 == 0,
                           .dweight = seed % 7 != 0,
                           .dbias = seed % 3 != 1,
                           .shift = seed / 4 % 2 * 20.0},
                          Stream{}, seed);
    }
  }
}

TEST_CASE("norm gradients on the GPU: again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_norm_backward({.layer = true,
                         .h = {.rows = 20, .columns = 20000},
                         .dx = {.rows = 20, .columns = 20000},
                         .dsum = true,
                         .dbias = true},
                        stream, 1);
    check_norm_backward({.h = {.rows = 999, .columns = 136}, .dx = {.rows = 999, .columns = 136}},
                        stream, 2);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
