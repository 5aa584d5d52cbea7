// Gradients of softmax on the simulator: every length's kernel, with 16-byte rows and without, on
// every policy.
#include <functional>

#include "tests/kernels/softmax_backward_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};

TEST_CASE("softmax backward: lengths around every kernel's, several rows a CTA") {
  unsigned seed = 0;
  for (const std::int64_t columns : {1, 7, 8, 64, 200, 256, 257, 512, 1000, 1024, 1025}) {
    for (const RowShape& shape :
         {RowShape{.rows = 37, .columns = columns}, RowShape{.rows = 3, .columns = columns},
          RowShape{.rows = 21, .columns = columns, .padding = 8},
          RowShape{.rows = 21, .columns = columns, .padding = 3, .offset = 1}}) {
      ++seed;
      check_softmax_backward(plain_backward(types[seed % 3], shape, seed / 3 % 2 == 0),
                             Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("softmax backward: a CTA a row, and clusters") {
  unsigned seed = 100;
  for (const std::int64_t columns : {2048, 2049, 8192, 8001, 16384, 16381, 20000, 40001}) {
    ++seed;
    check_softmax_backward(
        plain_backward(types[seed % 3], {.rows = 3, .columns = columns}, seed % 2 == 0),
        Stream{.options = {.seed = seed}}, seed);
  }
}

TEST_CASE("softmax backward: the longest rows") {
  check_softmax_backward(plain_backward(ElementType::bf16, {.rows = 2, .columns = 131072}, true),
                         Stream{.options = {.seed = 1}}, 1);
  check_softmax_backward(plain_backward(ElementType::fp32, {.rows = 1, .columns = 262144}, false),
                         Stream{.options = {.seed = 2}}, 2);
}

TEST_CASE("softmax backward: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 3; ++run) {
      for (const std::int64_t columns : {3, 300, 1040, 4000, 17000}) {
        ++seed;
        check_softmax_backward(
            plain_backward(
                types[seed % 3],
                {.rows = columns < 2000 ? 50 : 3, .columns = columns, .padding = seed % 2 * 5},
                seed % 4 < 2),
            Stream{.options = {.seed = seed, .policy = policy}}, seed);
      }
    }
  }
}

TEST_CASE("softmax backward: scale, types, strides that differ, what is left out, in place") {
  unsigned seed = 300;
  for (const std::int64_t columns : {5, 64, 999, 2048, 6000}) {
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
          Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("softmax backward: rows with NaN and infinities") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto gradient = [](bool logarithm, double y, double dy) {
    TypedRowsCase ys(ElementType::fp32, {.rows = 2, .columns = 16});
    TypedRowsCase dys(ElementType::fp32, {.rows = 2, .columns = 16});
    ys.fill([&](std::int64_t r, std::int64_t c) {
      return r == 1 && c == 5 ? y : logarithm ? std::log(1.0 / 16) : 1.0 / 16;
    });
    dys.fill([&](std::int64_t r, std::int64_t c) { return r == 1 && c == 5 ? dy : 1.0; });
    const TypedRowsCase dx(ElementType::fp32, {.rows = 2, .columns = 16});
    softmax_backward(simulator::Options{}, dx.matrix(), ys.matrix(), dys.matrix(),
                     {.logarithm = logarithm});
    const std::vector<double> values = dx.values();
    for (std::size_t c = 0; c < 16; ++c) {
      CHECK(std::abs(values[c]) < 1e-6);  // the other row
    }
    return std::vector<double>(values.begin() + 16, values.end());
  };
  const auto all_nan = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
  };
  CHECK(all_nan(gradient(false, std::nan(""), 1)));
  CHECK(all_nan(gradient(false, 1.0 / 16, std::nan(""))));
  CHECK(all_nan(gradient(true, 1.0 / 16, std::nan(""))));
  CHECK(std::isnan(gradient(true, std::nan(""), 1)[5]));
  // Left out of the logarithm: as if it were not there, whatever its gradient is.
  for (const double dy : {1.0, infinity, std::nan("")}) {
    const std::vector<double> values = gradient(true, -infinity, dy);
    CHECK(values[5] == 0);
    CHECK(std::abs(values[4] - 1.0 / 16) < 1e-6);
  }
}

std::string refusal(const std::function<void(MutableMatrix&, Matrix&, Matrix&)>& change,
                    const SoftmaxBackwardOptions& options = {}) {
  static const TypedRowsCase memory(ElementType::bf16, {.rows = 48, .columns = 40});
  const auto rows = [&](int part) {
    return MutableMatrix(static_cast<unsigned char*>(memory.matrix().data) + part * 12 * 80,
                         ElementType::bf16, 12, 40, 40);
  };
  MutableMatrix dx = rows(0);
  Matrix y = rows(1);
  Matrix dy = rows(2);
  change(dx, y, dy);
  try {
    softmax_backward_plan(simulator::Options{}, dx, y, dy, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("softmax backward: what it refuses") {
  const std::string fine = "nothing was refused";
  CHECK(refusal([](auto&, auto&, auto&) {}) == fine);
  CHECK(refusal([](auto& dx, auto& y, auto&) { dx.data = const_cast<void*>(y.data); }) == fine);
  CHECK(refusal([](auto& dx, auto&, auto& dy) { dx.data = const_cast<void*>(dy.data); }) == fine);
  CHECK(refusal([](auto& dx, auto& y, auto& dy) { dx.rows = y.rows = dy.rows = 0; }) == fine);
  CHECK_THAT(refusal([](auto&, auto&, auto& dy) { dy.columns = 39; }),
             ContainsSubstring("softmax_backward: dy is 12 x 39, and the rows are 12 x 40"));
  CHECK_THAT(refusal([](auto&, auto&, auto& dy) { dy.type = ElementType::fp16; }),
             ContainsSubstring("dy is fp16, and the rows are bf16: it needs the same type"));
  CHECK_THAT(refusal([](auto& dx, auto&, auto&) { dx.data = nullptr; }),
             ContainsSubstring("dx: its address is null"));
  CHECK_THAT(
      refusal([](auto& dx, auto&, auto&) { dx.data = static_cast<unsigned char*>(dx.data) + 16; }),
      ContainsSubstring("dx and y overlap"));
  CHECK_THAT(refusal([](auto&, auto&, auto&) {}, {.scale = std::nanf("")}),
             ContainsSubstring("softmax_backward: scale is NaN"));
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
