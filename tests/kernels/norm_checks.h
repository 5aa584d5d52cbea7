// RMSNorm and LayerNorm against fp64, on the unit's target.
#pragma once

#include "normalization/norm.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct NormCase {
  bool layer = false;
  ElementType x_type = ElementType::bf16;
  ElementType y_type = ElementType::bf16;
  ElementType weight_type = ElementType::bf16;
  RowShape x;
  RowShape y;
  /// Elements before the weight, and before the bias.
  std::int64_t weight_offset = 0;
  std::int64_t bias_offset = 0;
  bool weight = true;
  bool bias = false;
  bool residual = false;
  /// e4m3 as well; `only`: and no y.
  bool fp8 = false;
  bool only = false;
  float epsilon = 1e-5f;
  /// Added to every x: LayerNorm must take it away without losing the rest.
  double shift = 0;
};

struct ExactNorm {
  std::vector<double> y;
  std::vector<double> sum;
  std::vector<double> rstd;
  std::vector<double> mean;
};

inline ExactNorm exact_norm(const NormCase& how, const TypedRowsCase& x,
                            const TypedRowsCase& residual, const TypedRowsCase& weight,
                            const TypedRowsCase& bias) {
  ExactNorm exact;
  const auto columns = static_cast<double>(how.x.columns);
  for (std::int64_t r = 0; r < how.x.rows; ++r) {
    std::vector<double> h;
    double total = 0;
    for (std::int64_t c = 0; c < how.x.columns; ++c) {
      h.push_back(x.at(r, c) + (how.residual ? residual.at(r, c) : 0));
      total += h.back();
    }
    const double mean = how.layer ? total / columns : 0;
    double squares = 0;
    for (const double value : h) {
      squares += (value - mean) * (value - mean);
    }
    const double rstd = 1 / std::sqrt(squares / columns + static_cast<double>(how.epsilon));
    for (std::int64_t c = 0; c < how.x.columns; ++c) {
      exact.y.push_back((h[static_cast<std::size_t>(c)] - mean) * rstd *
                            (how.weight ? weight.at(0, c) : 1) +
                        (how.bias ? bias.at(0, c) : 0));
    }
    exact.sum.insert(exact.sum.end(), h.begin(), h.end());
    exact.rstd.push_back(rstd);
    exact.mean.push_back(mean);
  }
  return exact;
}

/// What e4m3 stands for (OCP 8-bit Floating Point Specification, 5.1).
inline double of_e4m3(unsigned char bits) {
  const int exponent = bits >> 3 & 15;
  const int mantissa = bits & 7;
  const double magnitude = (bits & 0x7f) == 0x7f ? std::nan("")
                           : exponent == 0       ? std::ldexp(mantissa, -9)
                                                 : std::ldexp(8 + mantissa, exponent - 10);
  return bits >= 0x80 ? -magnitude : magnitude;
}

/// Rows of bytes as TypedRowsCase has them: `padding` bytes between.
class Fp8Case {
 public:
  explicit Fp8Case(const RowShape& shape)
      : shape_(shape),
        bytes_(std::vector<unsigned char>(
            static_cast<std::size_t>(shape.rows * (shape.columns + shape.padding) + shape.offset),
            0xee)),
        scales_(std::vector<float>(static_cast<std::size_t>(shape.rows), -1)) {}

  NormFp8 output() const {
    return {bytes_.data() + shape_.offset, shape_.columns + shape_.padding, scales_.data()};
  }

  /// A row's largest magnitude becomes 448; of a number, half a step is lost, a 16th of it or of
  /// the least normal one; `arithmetic` is what y itself may be wrong by, of its row's largest.
  void check(const std::vector<double>& y, double arithmetic) const {
    const std::vector<unsigned char> bytes = bytes_.values();
    const std::vector<float> scales = scales_.values();
    for (std::int64_t r = 0; r < shape_.rows; ++r) {
      double largest = 0;
      const auto at = [&](std::int64_t c) {
        return y[static_cast<std::size_t>(r * shape_.columns + c)];
      };
      for (std::int64_t c = 0; c < shape_.columns; ++c) {
        largest = std::max(largest, std::abs(at(c)));
      }
      const double scale = static_cast<double>(scales[static_cast<std::size_t>(r)]);
      const double wrong = (arithmetic + 1e-6) * std::max(largest, 0x1p-100);
      REQUIRE(std::abs(scale * 448 - std::max(largest, 0x1p-100)) <= wrong);
      const std::int64_t begin = shape_.offset + r * (shape_.columns + shape_.padding);
      std::int64_t good = 0;
      for (std::int64_t c = 0; c < shape_.columns; ++c) {
        const double got = of_e4m3(bytes[static_cast<std::size_t>(begin + c)]) * scale;
        const double step = std::max(std::abs(at(c)) / 16, std::ldexp(scale, -10));
        good += std::abs(got - at(c)) <= 1.0001 * step + wrong ? 1 : 0;
      }
      for (std::int64_t c = 0; c < shape_.padding; ++c) {
        good += bytes[static_cast<std::size_t>(begin + shape_.columns + c)] == 0xee ? 1 : 0;
      }
      INFO("row " << r);
      REQUIRE(good == shape_.columns + shape_.padding);
    }
  }

 private:
  RowShape shape_;
  DeviceArray<unsigned char> bytes_;
  DeviceArray<float> scales_;
};

/// Runs it and compares. The bound: half a unit in the last place of y's type; of fp32 arithmetic
/// less than 40 units for sums in threads of 32 and a tree, and for what the shift costs.
inline void check_norm(const NormCase& how, const Stream& stream, unsigned seed) {
  INFO((how.layer ? "LayerNorm" : "RMSNorm")
       << ": x " << name_of(how.x_type) << " " << to_string(how.x) << "; y " << name_of(how.y_type)
       << " " << to_string(how.y) << "; weight " << how.weight << " " << name_of(how.weight_type)
       << " " << how.weight_offset << " and " << how.bias_offset << " off, bias " << how.bias
       << ", residual " << how.residual << ", fp8 " << how.fp8 << how.only << ", shift "
       << how.shift);
  TypedRowsCase x(how.x_type, how.x);
  TypedRowsCase residual(how.x_type, how.x);
  TypedRowsCase weight(how.weight_type, {.columns = how.x.columns, .offset = how.weight_offset});
  TypedRowsCase bias(how.weight_type, {.columns = how.x.columns, .offset = how.bias_offset});
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  x.fill([&](std::int64_t, std::int64_t) { return normal(random) + how.shift; });
  residual.fill_reals(seed + 1);
  weight.fill_reals(seed + 2);
  bias.fill_reals(seed + 3);
  const TypedRowsCase y(how.y_type, how.y);
  const TypedRowsCase sum(how.x_type, how.y);
  const TypedRowsCase rstd(ElementType::fp32, {.rows = how.x.rows});
  const TypedRowsCase mean(ElementType::fp32, {.rows = how.x.rows});
  NormOptions options{.epsilon = how.epsilon, .rstd = static_cast<float*>(rstd.matrix().data)};
  if (how.weight) {
    options.weight = weight.matrix();
  }
  if (how.bias) {
    options.bias = bias.matrix();
  }
  if (how.residual) {
    options.residual = residual.matrix();
    options.sum = sum.matrix();
  }
  const Fp8Case fp8(how.y);
  if (how.fp8) {
    options.fp8 = fp8.output();
  }
  MutableMatrix to = y.matrix();
  if (how.only) {
    to.data = nullptr;
  }
  if (how.layer) {
    options.mean = static_cast<float*>(mean.matrix().data);
    layer_norm(place_of(stream), to, x.matrix(), options);
  } else {
    rms_norm(place_of(stream), to, x.matrix(), options);
  }
  const ExactNorm exact = exact_norm(how, x, residual, weight, bias);
  const double arithmetic = (40 + 4 * std::abs(how.shift)) * 6e-8;
  if (!how.only) {
    CHECK(relative_error(y.values(), exact.y) < 1.01 * rounding_of(how.y_type) + arithmetic);
  }
  if (how.fp8) {
    fp8.check(exact.y, arithmetic);
  }
  CHECK(relative_error(rstd.values(), exact.rstd) < arithmetic);
  if (how.layer) {
    CHECK(relative_error(mean.values(), exact.mean) < arithmetic * 20);
  }
  if (how.residual) {
    CHECK(relative_error(sum.values(), exact.sum) < 1.01 * rounding_of(how.x_type) + 6e-8);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
