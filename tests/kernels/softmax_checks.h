// Softmax against fp64, on the unit's target.
#pragma once

#include <algorithm>

#include "softmax/softmax.h"
#include "tests/kernels/typed_rows_case.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct SoftmaxCase {
  ElementType x_type = ElementType::bf16;
  ElementType y_type = ElementType::bf16;
  RowShape x;
  RowShape y;
  float scale = 1;
  bool logarithm = false;
  std::int64_t mask_rows = 0;
  ElementType mask_type = ElementType::fp32;
  std::int64_t mask_offset = 0;
  bool causal = false;
  std::int64_t causal_rows = 0;
  std::int64_t causal_offset = 0;
};

/// t of one row; -inf where an element is left out.
template <class Mask>
std::vector<double> softmax_arguments(const SoftmaxCase& how, const TypedRowsCase& x,
                                      const Mask& mask, std::int64_t row) {
  std::vector<double> t;
  const std::int64_t sequence = how.causal_rows != 0 ? how.causal_rows : how.x.rows;
  for (std::int64_t c = 0; c < how.x.columns; ++c) {
    double value =
        x.at(row, c) * how.scale + (how.mask_rows != 0 ? mask.at(row % how.mask_rows, c) : 0);
    if (how.causal && c > row % sequence + how.causal_offset) {
      value = -std::numeric_limits<double>::infinity();
    }
    t.push_back(value);
  }
  return t;
}

inline std::vector<double> exact_softmax(const std::vector<double>& t, bool logarithm) {
  const double maximum = *std::max_element(t.begin(), t.end());
  double sum = 0;
  for (const double value : t) {
    sum += std::exp(value - maximum);
  }
  std::vector<double> y;
  for (const double value : t) {
    y.push_back(logarithm ? value - maximum - std::log(sum) : std::exp(value - maximum) / sum);
  }
  return y;
}

/// Runs it and compares. The bound: half a unit in the last place of y's type; of fp32 arithmetic
/// the rounding of t (|t| * 2^-24, which exp makes relative), of the approximate exponential (2
/// units) and of sums of 2^18 parts in threads of 64 and a tree (less than 100 units).
inline void check_softmax(const SoftmaxCase& how, const Stream& stream, unsigned seed,
                          double spread = 3) {
  INFO("x " << name_of(how.x_type) << " " << to_string(how.x) << "; y " << name_of(how.y_type)
            << " " << to_string(how.y) << "; scale " << how.scale << ", mask rows " << how.mask_rows
            << " " << name_of(how.mask_type) << " " << how.mask_offset << " off"
            << ", causal " << how.causal << ", logarithm " << how.logarithm);
  TypedRowsCase x(how.x_type, how.x);
  x.fill_reals(seed, spread);
  TypedRowsCase mask(how.mask_type, {.rows = std::max<std::int64_t>(how.mask_rows, 1),
                                     .columns = how.x.columns,
                                     .offset = how.mask_offset});
  mask.fill_reals(seed + 1, spread);
  const TypedRowsCase y(how.y_type, how.y);
  SoftmaxOptions options{.scale = how.scale,
                         .logarithm = how.logarithm,
                         .causal = how.causal,
                         .causal_rows = how.causal_rows,
                         .causal_offset = how.causal_offset};
  if (how.mask_rows != 0) {
    options.mask = mask.matrix();
  }
  softmax(place_of(stream), y.matrix(), x.matrix(), options);
  std::vector<double> wanted;
  for (std::int64_t r = 0; r < how.x.rows; ++r) {
    const std::vector<double> row =
        exact_softmax(softmax_arguments(how, x, mask, r), how.logarithm);
    wanted.insert(wanted.end(), row.begin(), row.end());
  }
  const double error = relative_error(y.values(), wanted);
  CHECK(error < 1.01 * rounding_of(how.y_type) + (100 + 20 * spread * std::abs(how.scale)) * 6e-8);
}

/// x and y of one type and shape.
inline SoftmaxCase plain_softmax(ElementType type, const RowShape& shape) {
  return {.x_type = type, .y_type = type, .x = shape, .y = shape};
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
