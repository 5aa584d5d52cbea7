// RMSNorm and LayerNorm on the simulator: every length's kernel, with 16-byte rows and without, on
// every policy.
#include "tests/kernels/norm_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

/// Everything that can be asked for, drawn from the seed.
NormCase some_norm(unsigned seed, const RowShape& shape) {
  return {.layer = seed % 2 == 0,
          .x_type = types[seed % 3],
          .y_type = types[seed / 3 % 3],
          .weight_type = types[seed / 5 % 3],
          .x = shape,
          .y = {.rows = shape.rows, .columns = shape.columns, .padding = seed / 2 % 3 * 4},
          .weight = seed % 5 != 0,
          .bias = seed % 3 == 0,
          .residual = seed / 2 % 2 == 0,
          .fp8 = seed % 4 < 2,
          .only = seed % 8 == 1,
          .shift = seed / 4 % 2 * 50.0};
}

TEST_CASE("norms: lengths around every kernel's, several rows a CTA") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1, 2, 7, 8, 63, 64, 65, 72, 128, 129, 256, 257, 512, 520, 1024, 1025, 1032}) {
    for (const RowShape& shape :
         {RowShape{.rows = 37, .columns = columns}, RowShape{.rows = 3, .columns = columns},
          RowShape{.rows = 37, .columns = columns, .padding = 8},
          RowShape{.rows = 21, .columns = columns, .padding = 3, .offset = 1}}) {
      ++seed;
      check_norm(some_norm(seed, shape), Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("norms: a CTA a row, and clusters") {
  unsigned seed = 100;
  for (const std::int64_t columns : {2048, 2049, 4096, 4100, 4104, 5120, 5128, 7168, 8192, 8001,
                                     16384, 16381, 32768, 20000, 40001}) {
    for (const std::int64_t padding : {0, 8}) {
      for (int run = 0; run < 2; ++run) {
        ++seed;
        check_norm(
            some_norm(seed,
                      {.rows = columns > 16384 ? 3 : 5, .columns = columns, .padding = padding}),
            Stream{.options = {.seed = seed}}, seed);
      }
    }
  }
}

TEST_CASE("norms: the longest rows") {
  check_norm({.layer = true,
              .x = {.rows = 2, .columns = 131072},
              .y = {.rows = 2, .columns = 131072},
              .residual = true},
             Stream{.options = {.seed = 1}}, 1);
  check_norm({.x_type = ElementType::fp32,
              .x = {.rows = 1, .columns = 262144},
              .y = {.rows = 1, .columns = 262144}},
             Stream{.options = {.seed = 2}}, 2);
}

TEST_CASE("norms: e4m3 of zeros, and of a row with NaN") {
  const RowShape shape{.rows = 3, .columns = 40};
  TypedRowsCase x(ElementType::fp32, shape);
  x.fill([](std::int64_t r, std::int64_t c) {
    return r == 0 ? 0.0 : r == 1 && c == 7 ? std::nan("") : 1.0;
  });
  const Fp8Case fp8(shape);
  MutableMatrix none = x.matrix();
  none.data = nullptr;
  const NormFp8 out = fp8.output();
  rms_norm(simulator::Options{}, none, x.matrix(), {.fp8 = out});
  for (std::int64_t c = 0; c < shape.columns; ++c) {
    CHECK(out.data[c] == 0);
    CHECK((out.data[shape.columns + c] & 0x7f) == 0x7f);
    CHECK(out.data[2 * shape.columns + c] == 0x7e);
  }
  CHECK(out.scales[0] == 0x1p-100F / 448);
  CHECK(std::isnan(out.scales[1]));
}

TEST_CASE("norms: zeros keep their sign") {
  alignas(16) const float x[8] = {-0.0F, 0.0F, 1, 2, 3, 4, 5, 6};
  alignas(16) float y[8] = {};
  rms_norm(simulator::Options{}, row_major(y, 1, 8), row_major(x, 1, 8), {});
  CHECK(y[0] == 0);
  CHECK(std::signbit(y[0]));
  CHECK(!std::signbit(y[1]));
}

TEST_CASE("norms: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 3; ++run) {
      for (const std::int64_t columns : {3, 24, 300, 1040, 4000, 17000}) {
        ++seed;
        check_norm(some_norm(seed, {.rows = columns > 4000 ? 3 : 40,
                                    .columns = columns,
                                    .padding = seed % 2 * 5}),
                   Stream{.options = {.seed = seed, .policy = policy}}, seed);
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
