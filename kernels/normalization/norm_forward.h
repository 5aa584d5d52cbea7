// RMSNorm (Zhang and Sennrich, 2019) and LayerNorm (Ba, Kiros and Hinton, 2016) of rows h = x, or
// h = x + residual:
//
//   RMSNorm     y = h / sqrt(mean(h^2) + epsilon) * weight + bias
//   LayerNorm   y = (h - mean(h)) / sqrt(mean((h - mean(h))^2) + epsilon) * weight + bias
//
// A row is in registers: its mean is known before the distances from it are squared, so nothing
// cancels.
#pragma once

#include "normalization/fp8_rows.h"
#include "normalization/norm_arguments.h"
#include "rows/row_config.h"
#include "rows/typed_elements.h"
#include "warpline/isa/math.h"
#include "warpline/isa/opaque.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct NormForward {
  using Element = T;
  using Arguments = NormArguments;
  static constexpr const char* name = "norm_forward";
  static constexpr int max_inputs = 2;
  static constexpr float absent = 0;
  static constexpr int tiers = row_tiers;
  /// CTAs that share a row would spill if three had to fit on a multiprocessor.
  static constexpr RowConfig config(int tier) {
    RowConfig config = row_config(tier, sizeof(T));
    if (config.cluster > 1 && config.ctas_per_sm > 2) {
      config.ctas_per_sm = config.min_ctas_per_sm = 2;
    }
    return config;
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
    float mean = 0;
    if (arguments.layer) {
      float sum = 0;
      values.for_each([&](float& x) { sum += x; });
      mean = reduce.local(sum, add) * of_one(arguments, values, reduce);
    }
    float squares = 0;
    const auto square = [&](int p, int v) {
      const float distance = values.x[p * Values::vector + v] - mean;
      squares += distance * distance;
    };
    values.for_each_piece(
        true,
        [&](int p) {
          WARPLINE_UNROLL
          for (int v = 0; v < Values::vector; ++v) {
            square(p, v);
          }
        },
        square);
    squares = reduce.local(squares, add);
    if constexpr (Reduce::ctas > 1) {
      // The parts' means and squares about them to the row's (Chan, Golub and LeVeque, 1983).
      const Part part =
          reduce.exchange(Part{static_cast<float>(values.end - values.begin), mean, squares, 0});
      mean = reduce_lanes<Reduce::ctas>(part.count * part.mean, add) * arguments.of_one;
      const float distance = part.mean - mean;
      squares = reduce_lanes<Reduce::ctas>(part.squares + part.count * distance * distance, add);
    }
    const float variance = squares * arguments.of_one;
    const float rstd = isa::rsqrt_approximate(variance + arguments.epsilon);
    store_statistics(arguments, row, values, mean, rstd);
    if (arguments.layer) {
      values.for_each([&](float& x) { x -= mean; });
    }
    values.for_each([&](float& x) { x *= rstd; });
    forget_addresses(values);
    weigh(arguments, values);
    if (arguments.y.data != nullptr) {
      store_values(arguments.y, row, values, [](float x) { return x; });
    }
    if (arguments.fp8 != nullptr) {
      forget_addresses(values);
      store_fp8(arguments.fp8 + row * arguments.fp8_stride, arguments.fp8_scales + row, values,
                reduce);
    }
  }

 private:
  /// Those that follow are worked out again: kept from earlier accesses on, they take too many
  /// registers.
  template <class Values>
  static WARPLINE_DEVICE void forget_addresses(Values& values) {
    values.thread = static_cast<int>(isa::opaque(static_cast<uint32_t>(values.thread)));
  }

  struct alignas(16) Part {
    float count;
    float mean;
    float squares;
    float unused;
  };

  /// 1 / the elements that this CTA has of the row.
  template <class Values, class Reduce>
  static WARPLINE_DEVICE float of_one(const Arguments& arguments, const Values& values,
                                      const Reduce&) {
    if constexpr (Reduce::ctas == 1) {
      return arguments.of_one;
    } else {
      const int count = values.end - values.begin;
      return count > 0 ? isa::reciprocal_approximate(static_cast<float>(count)) : 0;
    }
  }

  template <class Values>
  static WARPLINE_DEVICE void store_statistics(const Arguments& arguments, int64_t row,
                                               const Values& values, float mean, float rstd) {
    if (values.first_of_row()) {
      if (arguments.rstd != nullptr) {
        isa::store_global(arguments.rstd + row, rstd);
      }
      if (arguments.mean != nullptr) {
        isa::store_global(arguments.mean + row, mean);
      }
    }
  }

  template <class Values>
  static WARPLINE_DEVICE void weigh(const Arguments& arguments, Values& values) {
    if (arguments.weight.data != nullptr) {
      with_elements(arguments.weight, 0, values, [](float& x, float weight) { x *= weight; });
    }
    if (arguments.bias.data != nullptr) {
      with_elements(arguments.bias, 0, values, [](float& x, float bias) { x += bias; });
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
