// The gradients of RMSNorm and LayerNorm against fp64, on the unit's target.
#pragma once

#include "normalization/norm.h"
#include "normalization/norm_backward.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct NormBackwardCase {
  bool layer = false;
  ElementType type = ElementType::bf16;
  ElementType weight_type = ElementType::bf16;
  ElementType gradient_type = ElementType::fp32;
  RowShape h;
  RowShape dx;
  /// dy, if not as h.
  RowShape dy = {.rows = 0};
  /// Elements before the weight.
  std::int64_t weight_offset = 0;
  bool weight = true;
  bool dsum = false;
  bool dweight = true;
  bool dbias = false;
  double shift = 0;
};

struct ExactGradients {
  std::vector<double> dx;
  std::vector<double> dweight;
  std::vector<double> dbias;
  /// The root of the sum of squares of all summands of dweight, and of dbias.
  double of_dweight = 0;
  double of_dbias = 0;
};

/// By the formulas of norm_backward.h, of the mean and rstd that the kernel is given.
inline ExactGradients exact_gradients(const NormBackwardCase& how, const TypedRowsCase& h,
                                      const TypedRowsCase& dy, const TypedRowsCase& dsum,
                                      const TypedRowsCase& weight, const TypedRowsCase& mean,
                                      const TypedRowsCase& rstd) {
  ExactGradients exact;
  const std::int64_t columns = how.h.columns;
  exact.dweight.resize(static_cast<std::size_t>(columns));
  exact.dbias.resize(static_cast<std::size_t>(columns));
  for (std::int64_t r = 0; r < how.h.rows; ++r) {
    const auto x_at = [&](std::int64_t c) {
      return (h.at(r, c) - (how.layer ? mean.at(r, 0) : 0)) * rstd.at(r, 0);
    };
    const auto g_at = [&](std::int64_t c) {
      return dy.at(r, c) * (how.weight ? weight.at(0, c) : 1);
    };
    double g_x = 0;
    double g = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      g_x += g_at(c) * x_at(c);
      g += how.layer ? g_at(c) : 0;
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      exact.dx.push_back(rstd.at(r, 0) * (g_at(c) - g / static_cast<double>(columns) -
                                          x_at(c) * g_x / static_cast<double>(columns)) +
                         (how.dsum ? dsum.at(r, c) : 0));
      exact.dweight[static_cast<std::size_t>(c)] += dy.at(r, c) * x_at(c);
      exact.dbias[static_cast<std::size_t>(c)] += dy.at(r, c);
      exact.of_dweight += dy.at(r, c) * x_at(c) * dy.at(r, c) * x_at(c);
      exact.of_dbias += dy.at(r, c) * dy.at(r, c);
    }
  }
  exact.of_dweight = std::sqrt(exact.of_dweight);
  exact.of_dbias = std::sqrt(exact.of_dbias);
  return exact;
}

/// || got - wanted ||, infinity where one is not finite.
inline double error_norm(const std::vector<double>& got, const std::vector<double>& wanted) {
  double sum = got.size() == wanted.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    const double d = got[i] - wanted[i];
    sum += std::isfinite(d) ? d * d : std::numeric_limits<double>::infinity();
  }
  return std::sqrt(sum);
}

/// Runs it and compares. The bounds: half a unit in the last place of the result's type; in fp32,
/// of dx less than 60 units of 2^-24 for its sums (threads of up to 64 elements and a tree) and its
/// few products, and for (h - mean) * rstd what the shift costs; of dweight and dbias a unit for
/// each row. Of n summands of random signs, the sum's error is at most n units of the sum of
/// magnitudes, and in the root mean square, which is compared here, n units of the root of the sum
/// of squares.
inline void check_norm_backward(const NormBackwardCase& how, const Stream& stream, unsigned seed) {
  INFO((how.layer ? "LayerNorm" : "RMSNorm")
       << " backward: h " << name_of(how.type) << " " << to_string(how.h) << "; dx "
       << to_string(how.dx) << "; weight " << how.weight << " " << name_of(how.weight_type) << " "
       << how.weight_offset << " off, dsum " << how.dsum << ", gradients " << how.dweight
       << how.dbias << " " << name_of(how.gradient_type) << ", shift " << how.shift << ", seed "
       << seed);
  const RowShape one_row{.rows = 1, .columns = how.h.columns};
  const RowShape one_column{.rows = how.h.rows};
  TypedRowsCase h(how.type, how.h);
  TypedRowsCase dy(how.type, how.dy.rows == 0 ? how.h : how.dy);
  TypedRowsCase dsum(how.type, how.h);
  TypedRowsCase weight(how.weight_type, {.columns = how.h.columns, .offset = how.weight_offset});
  TypedRowsCase mean(ElementType::fp32, one_column);
  TypedRowsCase rstd(ElementType::fp32, one_column);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  h.fill([&](std::int64_t, std::int64_t) { return normal(random) + how.shift; });
  dy.fill_reals(seed + 1);
  dsum.fill_reals(seed + 2);
  weight.fill_reals(seed + 3);
  mean.fill([&](std::int64_t, std::int64_t) { return normal(random) / 10 + how.shift; });
  rstd.fill([&](std::int64_t, std::int64_t) { return 0.5 + std::abs(normal(random)) / 10; });
  const TypedRowsCase dx(how.type, how.dx);
  const TypedRowsCase dweight(how.gradient_type, one_row);
  const TypedRowsCase dbias(how.gradient_type, one_row);
  NormBackwardOptions options;
  if (how.weight) {
    options.weight = weight.matrix();
  }
  if (how.dsum) {
    options.dsum = dsum.matrix();
  }
  if (how.dweight) {
    options.dweight = dweight.matrix();
  }
  if (how.dbias) {
    options.dbias = dbias.matrix();
  }
  const auto* means = static_cast<const float*>(mean.matrix().data);
  const auto* rstds = static_cast<const float*>(rstd.matrix().data);
  const Place place = place_of(stream);
  const PreparedNormBackward plan =
      how.layer
          ? layer_norm_backward_plan(place, dx.matrix(), dy.matrix(), h.matrix(), means, rstds,
                                     options)
          : rms_norm_backward_plan(place, dx.matrix(), dy.matrix(), h.matrix(), rstds, options);
  INFO(plan.choice());
  plan.run(place);
  const ExactGradients exact = exact_gradients(how, h, dy, dsum, weight, mean, rstd);
  const double arithmetic = (60 + 4 * std::abs(how.shift)) * 6e-8;
  CHECK(error_norm(dx.values(), exact.dx) <
        (1.01 * rounding_of(how.type) + arithmetic) * norm_of(exact.dx));
  const double of_rows = arithmetic + static_cast<double>(how.h.rows) * 6e-8;
  const double of_gradients = 1.01 * rounding_of(how.gradient_type);
  if (how.dweight) {
    CHECK(error_norm(dweight.values(), exact.dweight) <=
          of_gradients * norm_of(exact.dweight) + of_rows * exact.of_dweight);
  }
  if (how.dbias) {
    CHECK(error_norm(dbias.values(), exact.dbias) <=
          of_gradients * norm_of(exact.dbias) + of_rows * exact.of_dbias);
  }
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
