// Softmax on the simulator: every length's kernel, with 16-byte rows and without, on every policy.
#include "tests/kernels/softmax_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("softmax: lengths around every kernel's, several rows a CTA") {
  unsigned seed = 0;
  for (const std::int64_t columns :
       {1, 2, 7, 8, 63, 64, 65, 72, 128, 129, 256, 257, 512, 520, 1024, 1025, 1032}) {
    for (const RowShape& shape :
         {RowShape{.rows = 37, .columns = columns}, RowShape{.rows = 3, .columns = columns},
          RowShape{.rows = 37, .columns = columns, .padding = 8},
          RowShape{.rows = 21, .columns = columns, .padding = 3, .offset = 1}}) {
      ++seed;
      check_softmax(plain_softmax(types[seed % 3], shape), Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("softmax: a CTA a row, and clusters") {
  unsigned seed = 100;
  for (const std::int64_t columns : {2048, 2049, 4096, 4100, 4104, 5120, 5128, 7168, 8192, 8001,
                                     16384, 16381, 32768, 20000, 40001}) {
    for (const std::int64_t padding : {0, 8}) {
      ++seed;
      const std::int64_t rows = columns > 16384 ? 3 : 5;
      check_softmax(
          plain_softmax(types[seed % 3], {.rows = rows, .columns = columns, .padding = padding}),
          Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("softmax: the longest rows") {
  check_softmax(plain_softmax(ElementType::bf16, {.rows = 2, .columns = 131072}),
                Stream{.options = {.seed = 1}}, 1);
  check_softmax(plain_softmax(ElementType::fp32, {.rows = 1, .columns = 262144}),
                Stream{.options = {.seed = 2}}, 2);
  check_softmax(plain_softmax(ElementType::fp16, {.rows = 1, .columns = 200001}),
                Stream{.options = {.seed = 3}}, 3);
}

TEST_CASE("softmax: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 3; ++run) {
      for (const std::int64_t columns : {3, 24, 300, 1040, 4000}) {
        ++seed;
        check_softmax(plain_softmax(types[seed % 3],
                                    {.rows = 50, .columns = columns, .padding = seed % 2 * 5}),
                      Stream{.options = {.seed = seed, .policy = policy}}, seed);
      }
      ++seed;
      check_softmax(plain_softmax(ElementType::bf16, {.rows = 3, .columns = 17000}),
                    Stream{.options = {.seed = seed, .policy = policy}}, seed);
    }
  }
}

TEST_CASE("softmax: scale, masks, logarithm, types") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000}) {
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
                    Stream{.options = {.seed = seed}}, seed);
    }
  }
}

/// Of rows of 16 elements: column 1 of the second one is `second`, the others `others`. The first
/// one, of zeros, is checked here.
std::vector<double> second_row(double second, double others, const SoftmaxOptions& options) {
  TypedRowsCase x(ElementType::fp32, {.rows = 2, .columns = 16});
  x.fill([&](std::int64_t r, std::int64_t c) { return r == 0 ? 0 : c == 1 ? second : others; });
  const TypedRowsCase y(ElementType::fp32, {.rows = 2, .columns = 16});
  softmax(simulator::Options{}, y.matrix(), x.matrix(), options);
  const std::vector<double> values = y.values();
  for (std::size_t c = 0; c < 16 && !options.causal; ++c) {
    CHECK(std::abs(values[c] - (options.logarithm ? -std::log(16) : 1.0 / 16)) < 1e-6);
  }
  return {values.begin() + 16, values.end()};
}

TEST_CASE("softmax: rows with NaN and infinities") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto all_nan = [](const std::vector<double>& row) {
    return std::all_of(row.begin(), row.end(), [](double x) { return std::isnan(x); });
  };
  for (const bool logarithm : {false, true}) {
    INFO("logarithm " << logarithm);
    const SoftmaxOptions options{.logarithm = logarithm};
    CHECK(all_nan(second_row(std::nan(""), 0, options)));
    CHECK(all_nan(second_row(infinity, 0, options)));
    CHECK(all_nan(second_row(-infinity, -infinity, options)));
    const auto without_one = second_row(-infinity, 0, options);
    CHECK(without_one[1] == (logarithm ? -infinity : 0));
    CHECK(std::abs(without_one[2] - (logarithm ? -std::log(15) : 1.0 / 15)) < 1e-6);
    const auto one_alone = second_row(5, -infinity, options);
    CHECK(one_alone[1] == (logarithm ? 0 : 1));
    CHECK(one_alone[2] == (logarithm ? -infinity : 0));
    // Of one row a sequence, nothing is kept but its first columns; here not even one.
    CHECK(all_nan(second_row(
        0, 0, {.logarithm = logarithm, .causal = true, .causal_rows = 1, .causal_offset = -1})));
    // Column 0 alone is kept: a NaN beside it is no matter.
    const auto left_out =
        second_row(std::nan(""), 3,
                   {.logarithm = logarithm, .causal = true, .causal_rows = 1, .causal_offset = 0});
    CHECK(left_out[0] == (logarithm ? 0 : 1));
    CHECK(left_out[1] == (logarithm ? -infinity : 0));
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
