// Softmax (softmax_forward.h) of rows that are read twice from their stages: first for the maximum
// and the sum of exponentials together (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018), rescaled once for each stage, then for the result.
#pragma once

#include <math.h>

#include "rows/typed_elements.h"
#include "softmax/row_target.h"
#include "softmax/softmax_arguments.h"
#include "softmax/softmax_terms.h"
#include "warpline/isa/math.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct SoftmaxStreamed : SoftmaxTerms<T> {
  using Arguments = SoftmaxArguments;
  using Terms = SoftmaxTerms<T>;
  static constexpr const char* streamed_name = "softmax_streamed";
  static constexpr int streamed_stage_bytes = 16384;
  static constexpr bool loops_turns = false;

  /// `distances` is the sum of t - origin_of(maximum), of `count` elements: for smoothing alone.
  struct alignas(16) Part {
    float maximum;
    float sum;
    float distances;
    float count;
  };
  using Running = Part;

  static WARPLINE_DEVICE Running start() { return {Terms::absent, 0, 0, 0}; }

  template <class Values>
  static WARPLINE_DEVICE void gather(const Arguments& arguments, int64_t row, Values& values,
                                     Running& running) {
    Terms::mask(arguments, row, values);
    float maximum = running.maximum;
    values.for_each([&](float& x) { maximum = fmaxf(maximum, x); });
    const float origin = Terms::origin_of(maximum);
    // Of what was absent until now the sum is 0, and 2^-inf, too.
    float sum = running.sum * isa::exp2_approximate(running.maximum - origin);
    values.for_each([&](float& x) { sum += isa::exp2_approximate(x - origin); });
    if (arguments.smoothing != 0) {
      running.distances += running.count * (Terms::origin_of(running.maximum) - origin);
      values.for_each_present([&](float x) {
        running.distances += x - origin;
        running.count += 1;
      });
    }
    running.maximum = maximum;
    running.sum = sum;
  }

  template <class Reduce>
  static WARPLINE_DEVICE Part part_of(const Arguments& arguments, int, const Running& running,
                                      Reduce& reduce) {
    const auto add = [](float a, float b) { return a + b; };
    const float maximum = reduce(running.maximum, [](float a, float b) { return fmaxf(a, b); });
    const float origin = Terms::origin_of(maximum);
    Part part{maximum, 0, 0, 0};
    part.sum = reduce(running.sum * isa::exp2_approximate(running.maximum - origin), add);
    if (arguments.smoothing != 0) {
      part.count = reduce(running.count, add);
      part.distances = reduce(
          running.distances + running.count * (Terms::origin_of(running.maximum) - origin), add);
    }
    return part;
  }

  struct Result {
    float origin;
    float log2_sum;
    float factor;
    /// Of t - origin, over all elements.
    float distances;
  };

  template <int Ctas>
  static WARPLINE_DEVICE Result result_of(const Arguments& arguments, const Part& part) {
    const auto add = [](float a, float b) { return a + b; };
    const float origin = Terms::origin_of(
        reduce_lanes<Ctas>(part.maximum, [](float a, float b) { return fmaxf(a, b); }));
    const float sum =
        reduce_lanes<Ctas>(part.sum * isa::exp2_approximate(part.maximum - origin), add);
    Result result{origin, isa::log2_approximate(sum), isa::reciprocal_approximate(sum), 0};
    if (arguments.smoothing != 0) {
      result.distances = reduce_lanes<Ctas>(
          part.distances + part.count * (Terms::origin_of(part.maximum) - origin), add);
    }
    return result;
  }

  static WARPLINE_DEVICE bool writes(const Arguments& arguments) {
    return arguments.loss == nullptr;
  }

  /// The row's loss.
  static WARPLINE_DEVICE void announce(const Arguments& arguments, int64_t row,
                                       const Result& result) {
    if (arguments.loss == nullptr) {
      return;
    }
    const int64_t target = target_of(arguments.targets, row);
    Terms::store_loss(arguments, row, Terms::load_logit(arguments, row, target), result.origin,
                      result.log2_sum, result.distances);
  }

  template <class Values>
  static WARPLINE_DEVICE void write(const Arguments& arguments, int64_t row, const Result& result,
                                    Values& values) {
    Terms::mask(arguments, row, values);
    if (arguments.logarithm) {
      const float offset = result.origin + result.log2_sum;
      store_values(arguments.y, row, values, [&](float x) { return (x - offset) * Terms::ln_2; });
    } else {
      store_values(arguments.y, row, values, [&](float x) {
        return isa::exp2_approximate(x - result.origin) * result.factor;
      });
    }
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
