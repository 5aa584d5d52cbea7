// Gradients of softmax and of its logarithm against fp64, on the unit's target.
#pragma once

#include <algorithm>

#include "softmax/softmax.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// dx and, of each element, the sum of the sizes of its parts.
struct Gradient {
  std::vector<double> dx;
  std::vector<double> parts;
};

/// What || got - wanted || may be: what rounding to `type` changes (of fp16, half its smallest
/// number for each element, too), and `units` of fp32 (2^-24) of what each element is added up of.
inline double gradient_bound(ElementType type, const Gradient& wanted, double units) {
  const double count = static_cast<double>(wanted.dx.size());
  return std::ldexp(units, -24) * norm_of(wanted.parts) +
         1.01 * rounding_of(type) * norm_of(wanted.dx) +
         (type == ElementType::fp16 ? std::ldexp(std::sqrt(count), -25) : 0);
}

/// Rows of NaN where they are wanted; elsewhere the bound.
inline void check_gradient(const TypedRowsCase& got, ElementType type, Gradient wanted,
                           double units) {
  std::vector<double> values = got.values();
  REQUIRE(values.size() == wanted.dx.size());  // or something beside the rows was written
  double difference = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(wanted.dx[i])) {
      REQUIRE(std::isnan(values[i]));
      wanted.dx[i] = wanted.parts[i] = values[i] = 0;
    }
    difference += (values[i] - wanted.dx[i]) * (values[i] - wanted.dx[i]);
  }
  CHECK(std::sqrt(difference) <= gradient_bound(type, wanted, units));
}

struct SoftmaxBackwardCase {
  ElementType type = ElementType::bf16;
  ElementType dx_type = ElementType::bf16;
  RowShape y;
  RowShape dy;
  RowShape dx;
  float scale = 1;
  bool logarithm = false;
  /// Row r keeps its first columns - r % left_out elements.
  std::int64_t left_out = 1;
  bool in_place = false;
};

/// All of one type and shape.
inline SoftmaxBackwardCase plain_backward(ElementType type, const RowShape& shape, bool logarithm) {
  return {
      .type = type, .dx_type = type, .y = shape, .dy = shape, .dx = shape, .logarithm = logarithm};
}

/// y: probabilities of random numbers, rounded.
inline void fill_softmax(TypedRowsCase& y, const SoftmaxBackwardCase& how, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  std::vector<double> t(static_cast<std::size_t>(how.y.rows * how.y.columns));
  std::vector<double> lse;
  for (std::int64_t r = 0; r < how.y.rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < how.y.columns; ++c) {
      double& value = t[static_cast<std::size_t>(r * how.y.columns + c)];
      value = c < how.y.columns - r % how.left_out ? normal(random)
                                                   : -std::numeric_limits<double>::infinity();
      sum += std::exp(value);
    }
    lse.push_back(std::log(sum));
  }
  y.fill([&](std::int64_t r, std::int64_t c) {
    const double log_p =
        t[static_cast<std::size_t>(r * how.y.columns + c)] - lse[static_cast<std::size_t>(r)];
    return how.logarithm ? log_p : std::exp(log_p);
  });
}

inline Gradient exact_backward(const SoftmaxBackwardCase& how, const TypedRowsCase& y,
                               const TypedRowsCase& dy) {
  Gradient result;
  for (std::int64_t r = 0; r < how.y.rows; ++r) {
    double sum = 0;
    double sizes = 0;
    const auto kept = [&](std::int64_t c) { return !how.logarithm || std::isfinite(y.at(r, c)); };
    for (std::int64_t c = 0; c < how.y.columns; ++c) {
      const double part = kept(c) ? dy.at(r, c) * (how.logarithm ? 1 : y.at(r, c)) : 0;
      sum += part;
      sizes += std::abs(part);
    }
    for (std::int64_t c = 0; c < how.y.columns; ++c) {
      const double d = dy.at(r, c);
      const double value = y.at(r, c);
      const double p = how.logarithm ? std::exp(value) : value;
      const double exact = how.logarithm ? d - p * sum : p * (d - sum);
      // The exponent is rounded before it is raised.
      const double size = how.logarithm ? std::abs(d) + p * (sizes + std::abs(value * sum))
                                        : p * (std::abs(d) + sizes);
      result.dx.push_back(kept(c) ? exact * how.scale : 0);
      result.parts.push_back(kept(c) ? size * std::abs(how.scale) : 0);
    }
  }
  return result;
}

/// 100 units: sums of 2^18 parts in threads of 32 and a tree, the approximate exponential (4), and
/// three operations.
inline void check_softmax_backward(const SoftmaxBackwardCase& how, const Stream& stream,
                                   unsigned seed) {
  INFO(name_of(how.type) << ": y " << to_string(how.y) << "; dy " << to_string(how.dy) << "; dx "
                         << name_of(how.dx_type) << " " << to_string(how.dx) << "; scale "
                         << how.scale << ", logarithm " << how.logarithm << ", in place "
                         << how.in_place);
  TypedRowsCase y(how.type, how.y);
  TypedRowsCase dy(how.type, how.dy);
  const TypedRowsCase own(how.dx_type, how.dx);
  fill_softmax(y, how, seed);
  dy.fill_reals(seed + 1, 1);
  const TypedRowsCase& dx = !how.in_place ? own : seed % 2 == 0 ? y : dy;
  softmax_backward(place_of(stream), dx.matrix(), y.matrix(), dy.matrix(),
                   {.scale = how.scale, .logarithm = how.logarithm});
  check_gradient(dx, how.dx_type, exact_backward(how, y, dy), 100);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
