#include "tests/docs/rows_calls.h"

#include <algorithm>
#include <cmath>

#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace example {
namespace {

using warpline::ElementType;
using warpline::simulator::Options;
using warpline::tests::TypedRowsCase;

TEST_CASE("the documentation's softmax of causal attention") {
  constexpr std::int64_t heads = 2;
  constexpr std::int64_t length = 40;
  TypedRowsCase scores(ElementType::bf16, {.rows = heads * length, .columns = length});
  scores.fill_reals(1);
  const TypedRowsCase p(ElementType::bf16, {.rows = heads * length, .columns = length});
  probabilities(Options{}, static_cast<__nv_bfloat16*>(p.matrix().data),
                static_cast<const __nv_bfloat16*>(scores.matrix().data), heads, length);
  const std::vector<double> got = p.values();
  REQUIRE(got.size() == static_cast<std::size_t>(heads * length * length));
  for (std::int64_t r = 0; r < heads * length; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c <= r % length; ++c) {
      sum += std::exp(scores.at(r, c) * 0.125);
    }
    for (std::int64_t c = 0; c < length; ++c) {
      const double wanted = c <= r % length ? std::exp(scores.at(r, c) * 0.125) / sum : 0;
      // Half a unit in the last place, and fp32's share.
      CHECK(std::abs(got[static_cast<std::size_t>(r * length + c)] - wanted) <=
            wanted * (1.01 / 256));
    }
  }
}

TEST_CASE("the documentation's sum and norm of one pass, in place") {
  constexpr std::int64_t rows = 9;
  constexpr std::int64_t columns = 2056;
  TypedRowsCase x(ElementType::bf16, {.rows = rows, .columns = columns});
  TypedRowsCase branch(ElementType::bf16, {.rows = rows, .columns = columns});
  TypedRowsCase weight(ElementType::fp32, {.rows = 1, .columns = columns});
  x.fill_reals(1);
  branch.fill_reals(2);
  weight.fill_reals(3);
  const TypedRowsCase y(ElementType::bf16, {.rows = rows, .columns = columns});
  const auto plan =
      add_and_normalize(Options{}, y.matrix(), x.matrix(), branch.matrix(), weight.matrix());
  plan.run(Options{});
  std::vector<double> sums;
  std::vector<double> wanted;
  for (std::int64_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      sums.push_back(x.at(r, c) + branch.at(r, c));
      squares += sums.back() * sums.back();
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      wanted.push_back(sums[static_cast<std::size_t>(r * columns + c)] /
                       std::sqrt(squares / columns + 1e-5) * weight.at(0, c));
    }
  }
  CHECK(warpline::tests::relative_error(x.values(), sums) < 1.01 / 256);
  CHECK(warpline::tests::relative_error(y.values(), wanted) < 1.01 / 256);
}

TEST_CASE("the documentation's gradients") {
  constexpr std::int64_t rows = 3;
  constexpr std::int64_t columns = 40;
  const warpline::tests::RowShape shape{.rows = rows, .columns = columns};
  TypedRowsCase x(ElementType::fp32, shape);
  TypedRowsCase dy(ElementType::fp32, shape);
  TypedRowsCase dsum(ElementType::fp32, shape);
  TypedRowsCase weight(ElementType::fp32, {.rows = 1, .columns = columns});
  TypedRowsCase rstd(ElementType::fp32, {.rows = rows});
  x.fill_reals(1);
  dy.fill_reals(2);
  dsum.fill_reals(3);
  weight.fill_reals(4);
  rstd.fill([](std::int64_t r, std::int64_t) { return 0.25 * static_cast<double>(r + 1); });
  const TypedRowsCase dx(ElementType::fp32, shape);
  const TypedRowsCase dweight(ElementType::fp32, {.rows = 1, .columns = columns});
  gradients(Options{}, dx.matrix(), dweight.matrix(), dy.matrix(), x.matrix(), dsum.matrix(),
            weight.matrix(), static_cast<const float*>(rstd.matrix().data))
      .run(Options{});
  std::vector<double> wanted;
  std::vector<double> wanted_dweight(columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    double mean = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      mean += dy.at(r, c) * weight.at(0, c) * x.at(r, c) * rstd.at(r, 0) / columns;
      wanted_dweight[static_cast<std::size_t>(c)] += dy.at(r, c) * x.at(r, c) * rstd.at(r, 0);
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      wanted.push_back(rstd.at(r, 0) *
                           (dy.at(r, c) * weight.at(0, c) - x.at(r, c) * rstd.at(r, 0) * mean) +
                       dsum.at(r, c));
    }
  }
  CHECK(warpline::tests::relative_error(dx.values(), wanted) < 1e-6);
  CHECK(warpline::tests::relative_error(dweight.values(), wanted_dweight) < 1e-6);
}

TEST_CASE("the documentation's reductions of a dimension") {
  constexpr std::int64_t images = 2;
  constexpr std::int64_t channels = 3;
  constexpr std::int64_t pixels = 70;
  std::vector<float> x;
  for (std::int64_t i = 0; i < images * channels * pixels; ++i) {
    x.push_back(static_cast<float>(i * 37 % 101));
  }
  std::vector<float> pixel(images * channels);
  std::vector<std::int64_t> channel(images * pixels);
  strongest(Options{}, pixel.data(), channel.data(), x.data(), images, channels, pixels);
  for (std::size_t row = 0; row < pixel.size(); ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * pixels);
    CHECK(pixel[row] == *std::max_element(begin, begin + pixels));
  }
  for (std::size_t at = 0; at < channel.size(); ++at) {
    const std::size_t first = at / pixels * channels * pixels + at % pixels;
    std::int64_t wanted = 0;
    for (std::size_t c = 1; c < channels; ++c) {
      wanted = x[first + c * pixels] > x[first + static_cast<std::size_t>(wanted) * pixels]
                   ? static_cast<std::int64_t>(c)
                   : wanted;
    }
    CHECK(channel[at] == wanted);
  }
}

TEST_CASE("the documentation's losses, and their gradient in place") {
  constexpr std::int64_t rows = 5;
  constexpr std::int64_t columns = 1000;
  TypedRowsCase logits(ElementType::fp32, {.rows = rows, .columns = columns});
  logits.fill_reals(1);
  const std::int64_t targets[rows] = {0, 999, -100, 17, 500};
  float loss[rows];
  float lse[rows];
  losses(Options{}, loss, lse, logits.matrix(), targets);
  std::vector<double> wanted;
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      sum += std::exp(logits.at(r, c));
    }
    double exact = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const double log_p = logits.at(r, c) - std::log(sum);
      const double q = 0.1 / columns + (c == targets[r] ? 0.9 : 0);
      exact -= targets[r] < 0 ? 0 : q * log_p;
      wanted.push_back(targets[r] < 0 ? 0 : std::exp(log_p) - q);
    }
    CHECK(std::abs(loss[r] - exact) < 2e-5);
    CHECK(std::abs(lse[r] - std::log(sum)) < 2e-5);
  }
  CHECK(warpline::tests::relative_error(logits.values(), wanted) < 2e-5);
}

TEST_CASE("the documentation's sum of a tensor") {
  TypedRowsCase x(ElementType::fp32, {.rows = 1, .columns = 12345});
  x.fill([](std::int64_t, std::int64_t c) { return static_cast<double>(c % 7); });
  const TypedRowsCase out(ElementType::fp32, {.rows = 1, .columns = 1});
  total(Options{}, static_cast<float*>(out.matrix().data),
        static_cast<const float*>(x.matrix().data), 12345);
  double sum = 0;
  for (std::int64_t c = 0; c < 12345; ++c) {
    sum += x.at(0, c);
  }
  CHECK(out.values() == std::vector<double>{sum});
}

}  // namespace
}  // namespace example
