// Gradients of softmax, and cross-entropy with its gradient, on the GPU, with what the simulator
// has no time for: many rows, the longest ones.
#include "tests/kernels/cross_entropy_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

constexpr std::int64_t lengths[] = {
    1,    7,    64,    200,   256,   257,   1000,  1024,  1025,   2048,   2049,   4096,  4097,
    8192, 8193, 16384, 16385, 32768, 50257, 65536, 65537, 131072, 128256, 262144, 200001};

RowShape shape_of(std::int64_t columns, std::int64_t padding) {
  return {.rows = std::max<std::int64_t>(3, std::min<std::int64_t>(3000, 300000 / columns)),
          .columns = columns,
          .padding = padding};
}

TEST_CASE("softmax backward on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns : lengths) {
    for (const std::int64_t padding : {0, 8, 3}) {
      ++seed;
      check_softmax_backward(
          plain_backward(types[seed % 3], shape_of(columns, padding), seed % 2 == 0), Stream{},
          seed);
    }
  }
}

TEST_CASE("softmax backward on the GPU: scale, types, what is left out, in place") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000, 40000}) {
    for (const ElementType dx_type : types) {
      ++seed;
      const bool in_place = columns % 8 == 0 && dx_type == types[seed % 3];
      check_softmax_backward(
          {.type = types[seed % 3],
           .dx_type = dx_type,
           .y = {.rows = 12, .columns = columns},
           .dy = {.rows = 12, .columns = columns, .padding = in_place ? 0 : seed % 3 * 4},
           .dx = {.rows = 12, .columns = columns, .padding = seed % 2 * 8},
           .scale = seed % 2 == 0 ? 0.125f : -2.0f,
           .logarithm = seed % 4 < 2,
           .left_out = 5,
           .in_place = in_place},
          Stream{}, seed);
    }
  }
}

TEST_CASE("cross-entropy on the GPU: every length's kernel") {
  unsigned seed = 0;
  for (const std::int64_t columns : lengths) {
    for (const std::int64_t padding : {0, 3}) {
      ++seed;
      check_cross_entropy(plain_cross_entropy(types[seed % 3], shape_of(columns, padding)),
                          Stream{}, seed);
    }
  }
}

TEST_CASE("cross-entropy on the GPU: scale, smoothing, types, targets of 64 bits, in place") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000, 40000}) {
    for (const ElementType dlogits_type : types) {
      ++seed;
      check_cross_entropy({.type = types[seed % 3],
                           .dlogits_type = dlogits_type,
                           .logits = {.rows = 40, .columns = columns},
                           .dlogits = {.rows = 40, .columns = columns, .padding = seed % 2 * 8},
                           .scale = seed % 2 == 0 ? 0.125f : 2.0f,
                           .smoothing = seed % 3 == 0 ? 0 : 0.1f,
                           .wide = seed % 4 < 2,
                           .extras = seed % 5 != 0,
                           .in_place = columns % 8 == 0 && dlogits_type == types[seed % 3]},
                          Stream{}, seed, seed % 2 == 0 ? -100 : 1);
    }
  }
}

TEST_CASE("softmax backward and cross-entropy on the GPU: again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_softmax_backward(plain_backward(ElementType::bf16, {.rows = 20, .columns = 40000}, false),
                           stream, 1);
    check_cross_entropy(plain_cross_entropy(ElementType::bf16, {.rows = 999, .columns = 136}),
                        stream, 2);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
