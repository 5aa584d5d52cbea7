#include "tests/docs/matmul_calls.h"

#include <cmath>

#include "tests/kernels/matmul_call.h"

namespace example {
namespace {

using warpline::simulator::Options;

template <class T>
T element(std::int64_t row, std::int64_t column) {
  return T(static_cast<float>((row * 3 + column * 5) % 7 - 3));
}

template <class T>
std::vector<T> filled(std::int64_t rows, std::int64_t columns) {
  std::vector<T> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      values.push_back(element<T>(row, column));
    }
  }
  return values;
}

/// Sum over i of a[row * a_stride + i] b[column * b_stride + i].
template <class T>
float dot(const T* a, const T* b, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += float(a[i]) * float(b[i]);
  }
  return sum;
}

TEST_CASE("the documentation's plain call") {
  constexpr std::int64_t rows = 100;
  constexpr std::int64_t outputs = 72;
  constexpr std::int64_t inputs = 136;
  const auto x = filled<__half>(rows, inputs);
  const auto weight = filled<__half>(outputs, inputs);
  std::vector<__half> y(rows * outputs);
  linear(Options{}, y.data(), x.data(), weight.data(), rows, outputs, inputs);
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(float(y[i]) == dot(&x[i / outputs * inputs], &weight[i % outputs * inputs], inputs));
  }
  using warpline::row_major;
  std::vector<__half> again(rows * outputs);
  train(Options{}, row_major(again.data(), rows, outputs), row_major(x.data(), rows, inputs),
        row_major(weight.data(), outputs, inputs).transposed(), 2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(float(y[i]) == float(again[i]));
  }
}

TEST_CASE("the documentation's arrays of addresses") {
  constexpr std::int64_t rows = 9;
  constexpr std::int64_t outputs = 24;
  constexpr std::int64_t inputs = 40;
  const auto x = filled<__nv_bfloat16>(rows, inputs);
  const auto weight = filled<__nv_bfloat16>(inputs, outputs);
  std::vector<__nv_bfloat16> first(rows * outputs);
  std::vector<__nv_bfloat16> second(rows * outputs);
  expert_outputs(Options{}, {first.data(), second.data()}, {x.data(), x.data()},
                 {weight.data(), weight.data()}, rows, outputs, inputs);
  for (std::size_t i = 0; i < first.size(); ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < inputs; ++k) {
      sum += float(x[i / outputs * inputs + k]) * float(weight[k * outputs + i % outputs]);
    }
    REQUIRE(float(first[i]) == sum);
    REQUIRE(float(second[i]) == sum);
  }
}

TEST_CASE("the documentation's epilogue") {
  constexpr std::int64_t rows = 70;
  constexpr std::int64_t outputs = 45;
  constexpr std::int64_t inputs = 40;
  const auto x = filled<__half>(rows, inputs);
  const auto weight = filled<__half>(outputs, inputs);
  const auto r = filled<__half>(rows, outputs);
  std::vector<float> bias(outputs);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    bias[i] = static_cast<float>(i) / 10 - 2;
  }
  std::vector<float> y(rows * outputs);
  using warpline::row_major;
  linear_gelu(Options{}, row_major(y.data(), rows, outputs), row_major(x.data(), rows, inputs),
              row_major(weight.data(), outputs, inputs), bias.data(),
              row_major(r.data(), rows, outputs))
      .run(Options{});
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double v = static_cast<double>(
        dot(&x[i / outputs * inputs], &weight[i % outputs * inputs], inputs) + bias[i % outputs]);
    const double gelu = v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    REQUIRE(static_cast<double>(y[i]) ==
            Catch::Approx(gelu + static_cast<double>(float(r[i]))).margin(1e-3));
  }
}

TEST_CASE("the documentation's batch") {
  constexpr std::int64_t tokens = 33;
  constexpr std::int64_t heads = 3;
  constexpr std::int64_t width = heads * 64;
  const auto q = filled<__nv_bfloat16>(tokens, width);
  const auto k = filled<__nv_bfloat16>(tokens, width);
  std::vector<float> s(heads * tokens * tokens);
  scores(Options{}, s.data(), q.data(), k.data(), tokens, heads);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t head = i / (tokens * tokens);
    const std::size_t row = i / tokens % tokens;
    const std::size_t column = i % tokens;
    REQUIRE(s[i] == dot(&q[row * width + head * 64], &k[column * width + head * 64], 64) / 8);
  }
}

}  // namespace
}  // namespace example
