// Cross-entropy and its gradient against fp64, on the unit's target.
#pragma once

#include "softmax/cross_entropy.h"
#include "tests/kernels/softmax_backward_checks.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct CrossEntropyCase {
  ElementType type = ElementType::bf16;
  ElementType dlogits_type = ElementType::bf16;
  RowShape logits;
  RowShape dlogits;
  float scale = 1;
  float smoothing = 0;
  /// Targets of 64 bits.
  bool wide = false;
  /// dloss is given, lse is asked for.
  bool extras = true;
  bool in_place = false;
};

inline CrossEntropyCase plain_cross_entropy(ElementType type, const RowShape& shape) {
  return {.type = type, .dlogits_type = type, .logits = shape, .dlogits = shape};
}

/// A number for each row, poison after them.
template <class T>
class RowNumbers {
 public:
  explicit RowNumbers(const std::vector<T>& values) : values_(values), device_(poisoned(values)) {}
  T* data() const { return device_.data(); }
  /// An empty vector if anything after them was overwritten.
  std::vector<T> now() const {
    std::vector<T> all = device_.values();
    const bool clean = std::all_of(all.end() - 4, all.end(), [](T x) { return x == poison; });
    all.resize(clean ? values_.size() : 0);
    return all;
  }

 private:
  static constexpr T poison = static_cast<T>(1234567);
  static std::vector<T> poisoned(std::vector<T> values) {
    values.resize(values.size() + 4, poison);
    return values;
  }
  std::vector<T> values_;
  DeviceArray<T> device_;
};

/// The third row of each five is ignored; some targets are the first and the last column. Of each
/// seventeen rows one has a target that is no column, before or behind them.
inline std::vector<std::int64_t> some_targets(const CrossEntropyCase& how, unsigned seed,
                                              std::int64_t ignore_index) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> targets;
  for (std::int64_t r = 0; r < how.logits.rows; ++r) {
    const std::int64_t any = static_cast<std::int64_t>(random()) % how.logits.columns;
    targets.push_back(r % 5 == 2    ? ignore_index
                      : r % 17 == 3 ? how.logits.columns
                      : r % 17 == 9 ? -1
                      : r % 5 == 3  ? 0
                      : r % 5 == 4  ? how.logits.columns - 1
                                    : any);
  }
  return targets;
}

struct ExactLoss {
  std::vector<double> loss;
  std::vector<double> lse;
  /// The largest |t| of each row.
  std::vector<double> largest;
  Gradient gradient;
};

inline ExactLoss exact_cross_entropy(const CrossEntropyCase& how, const TypedRowsCase& logits,
                                     const std::vector<std::int64_t>& targets,
                                     std::int64_t ignore_index, const std::vector<float>& dloss) {
  ExactLoss result;
  const std::int64_t columns = how.logits.columns;
  const double smoothed = double{how.smoothing} / static_cast<double>(columns);
  for (std::int64_t r = 0; r < how.logits.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const bool ignored = targets[row] == ignore_index;
    const bool invalid = !ignored && (targets[row] < 0 || targets[row] >= columns);
    double largest = -std::numeric_limits<double>::infinity();
    double largest_size = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      largest = std::max(largest, logits.at(r, c) * how.scale);
      largest_size = std::max(largest_size, std::abs(logits.at(r, c) * how.scale));
    }
    double sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      sum += std::exp(logits.at(r, c) * how.scale - largest);
    }
    const double lse = largest + std::log(sum);
    double loss = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const double t = logits.at(r, c) * how.scale;
      const double p = std::exp(t - lse);
      const double q = smoothed + (c == targets[row] ? 1.0 - how.smoothing : 0);
      const double g = double{dloss[row]} * how.scale;
      loss += q * (lse - t);
      result.gradient.dx.push_back(ignored ? 0 : invalid ? std::nan("") : (p - q) * g);
      result.gradient.parts.push_back(
          ignored || invalid ? 0 : (p * (1 + std::abs(t) + std::abs(lse)) + q) * std::abs(g));
    }
    result.loss.push_back(ignored ? 0 : invalid ? std::nan("") : loss);
    result.lse.push_back(lse);
    result.largest.push_back(largest_size);
  }
  return result;
}

/// Of each row, the rounding of t and of what is computed from it (|t| * 2^-24, a few times), and
/// what check_softmax allows for the sum.
inline void check_per_row(const std::vector<float>& got, const std::vector<double>& wanted,
                          const std::vector<double>& largest) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    INFO("row " << r << ": " << got[r] << ", wanted " << wanted[r]);
    if (std::isnan(wanted[r])) {
      CHECK(std::isnan(got[r]));
    } else {
      CHECK(std::abs(got[r] - wanted[r]) <= std::ldexp(100 + 20 * largest[r], -24));
    }
  }
}

/// The forward pass, and the backward one from its lse. 60 units of the gradient: the exponential
/// (4), the roundings of exponent and lse, and what check_per_row allows for the latter of 1.
inline void check_cross_entropy(const CrossEntropyCase& how, const Stream& stream, unsigned seed,
                                std::int64_t ignore_index = -100) {
  INFO(name_of(how.type) << ": logits " << to_string(how.logits) << "; dlogits "
                         << name_of(how.dlogits_type) << " " << to_string(how.dlogits) << "; scale "
                         << how.scale << ", smoothing " << how.smoothing << ", wide " << how.wide
                         << ", in place " << how.in_place);
  TypedRowsCase logits(how.type, how.logits);
  logits.fill_reals(seed, 2);
  const auto targets = some_targets(how, seed, ignore_index);
  const RowNumbers<std::int64_t> wide(targets);
  const RowNumbers<std::int32_t> narrow(std::vector<std::int32_t>(targets.begin(), targets.end()));
  const Targets given = how.wide ? Targets(wide.data()) : Targets(narrow.data());
  const auto rows = static_cast<std::size_t>(how.logits.rows);
  const RowNumbers<float> loss(std::vector<float>(rows, -7));
  const RowNumbers<float> lse(std::vector<float>(rows, -7));
  std::vector<float> dloss_values(rows, 1);
  for (std::size_t r = 0; r < rows && how.extras; ++r) {
    dloss_values[r] = 0.25f * static_cast<float>(r % 7) - 0.5f;
  }
  const RowNumbers<float> dloss(dloss_values);
  const CrossEntropyOptions options{
      .scale = how.scale, .label_smoothing = how.smoothing, .ignore_index = ignore_index};
  const ExactLoss wanted = exact_cross_entropy(how, logits, targets, ignore_index, dloss_values);
  if (!how.extras) {
    cross_entropy(place_of(stream), loss.data(), nullptr, logits.matrix(), given, options);
    check_per_row(loss.now(), wanted.loss, wanted.largest);
  }
  cross_entropy(place_of(stream), loss.data(), lse.data(), logits.matrix(), given, options);
  check_per_row(loss.now(), wanted.loss, wanted.largest);
  check_per_row(lse.now(), wanted.lse, wanted.largest);
  const TypedRowsCase own(how.dlogits_type, how.dlogits);
  const TypedRowsCase& dlogits = how.in_place ? logits : own;
  cross_entropy_backward(place_of(stream), dlogits.matrix(), logits.matrix(), given, lse.data(),
                         how.extras ? dloss.data() : nullptr, options);
  check_gradient(dlogits, how.dlogits_type, wanted.gradient, 60);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
