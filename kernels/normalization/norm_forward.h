// RMSNorm (Zhang and Sennrich, 2019) and LayerNorm (Ba, Kiros and Hinton, 2016) of rows h = x, or
// h = x + residual:
//
//   RMSNorm     y = h / sqrt(mean(h^2) + epsilon) * weight + bias
//   LayerNorm   y = (h - mean(h)) / sqrt(mean((h - mean(h))^2) + epsilon) * weight + bias
//
// A row is in registers: its mean is known before the distances from it are squared, so nothing
// cancels. Rows that are too long for the registers of a CTA are streamed.
#pragma once

#include "normalization/fp8_rows.h"
#include "normalization/norm_streamed.h"
#include "rows/row_kernels.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct NormForward : NormStreamed<T> {
  using Element = T;
  using Arguments = NormArguments;
  using Terms = NormTerms;
  static constexpr const char* name = "norm_forward";
  static constexpr const char* direct_name = "norm_direct";
  static constexpr int max_inputs = 2;

  /// The scale of e4m3 needs all of a result before any of it is stored.
  static constexpr bool serves(const RowConfig& config, const Arguments& arguments) {
    return config.path != RowPath::streamed || arguments.fp8 == nullptr;
  }

  static WARPLINE_DEVICE float absorb(const Arguments&, float element) { return element; }

  /// Before the first row is there: what all rows share.
  template <class Values>
  static WARPLINE_DEVICE void prepare(const Arguments& arguments, const Values& values) {
    for (const TypedRows* rows : {&arguments.weight, &arguments.bias}) {
      if (rows->data != nullptr) {
        touch_elements(*rows, values);
      }
    }
  }

  template <class Values, class Reduce>
  static WARPLINE_DEVICE void process(const Arguments& arguments, int64_t row, Values& values,
                                      Reduce& reduce) {
    if (arguments.sum.data != nullptr) {
      store_values(arguments.sum, row, values, [](float x) { return x; });
    }
    const auto add = [](float a, float b) { return a + b; };
    typename NormStreamed<T>::Part part{0, 0, 0, 0};
    if (arguments.layer) {
      float sum = 0;
      values.for_each([&](float& x) { sum += x; });
      const int count = elements_of_part<Reduce>(values);
      part.count = static_cast<float>(count);
      part.mean = reduce.local(sum, add) * of_one<Reduce>(arguments, count);
      values.for_each([&](float& x) { x -= part.mean; });
    }
    const float mean = part.mean;
    values.for_each_present([&](float x) { part.squares += x * x; });
    part.squares = reduce.local(part.squares, add);
    if constexpr (Reduce::parts > 1) {
      part = reduce.exchange(part);
    }
    const auto result = NormStreamed<T>::template result_of<Reduce::parts>(arguments, part);
    if (values.first_of_row()) {
      Terms::store_statistics(arguments, row, result.mean, result.rstd);
    }
    Terms::normalize(arguments, Reduce::parts > 1 ? result.mean - mean : 0, result.rstd, values);
    if (arguments.y.data != nullptr) {
      store_values(arguments.y, row, values, [](float x) { return x; });
    }
    if (arguments.fp8 != nullptr) {
      values.forget_addresses();
      store_fp8(arguments.fp8 + row * arguments.fp8_stride, arguments.fp8_scales + row, values,
                reduce);
    }
  }

 private:
  template <class Reduce>
  static WARPLINE_DEVICE float of_one(const Arguments& arguments, int count) {
    if constexpr (Reduce::parts == 1) {
      return arguments.of_one;
    } else {
      return count > 0 ? isa::reciprocal_approximate(static_cast<float>(count)) : 0;
    }
  }
};

/// Long rows with e4m3 beside or instead of y.
template <class T>
struct NormToFp8 : NormForward<T> {
  static constexpr int tiers = 2;
  static constexpr int first_anywhere = row_tiers_of_a_cta;

  static constexpr RowConfig config(int tier) {
    RowConfig config = clustered_config(tier == 0 ? 1 : 3, sizeof(T));
    if (config.ctas_per_sm > 2) {
      config.ctas_per_sm = config.min_ctas_per_sm = 2;  // with three it would spill
    }
    return config;
  }
  static constexpr bool serves(const RowConfig&, const NormArguments& arguments) {
    return arguments.fp8 != nullptr;
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
