// RMSNorm and LayerNorm (norm_forward.h) of rows that are read twice from their stages: first for
// mean and squares, then for the result. A thread's elements of a stage are squared about their own
// mean, and such parts put together (Chan, Golub and LeVeque, 1983), so that nothing cancels.
#pragma once

#include "normalization/norm_terms.h"
#include "warpline/isa/math.h"
#include "warpline/reduce.h"

namespace warpline::inline WARPLINE_TARGET {

template <class T>
struct NormStreamed : NormTerms {
  using Arguments = NormArguments;
  static constexpr const char* streamed_name = "norm_streamed";
  static constexpr int streamed_stage_bytes = 32768;
  static constexpr bool loops_turns = true;

  /// Of `count` elements: their mean, and the sum of squared distances from it; of RMSNorm, the
  /// mean is 0 throughout.
  struct alignas(16) Part {
    float count;
    float mean;
    float squares;
    float unused;
  };
  using Running = Part;

  static WARPLINE_DEVICE Running start() { return {0, 0, 0, 0}; }

  template <class Values>
  static WARPLINE_DEVICE void gather(const Arguments& arguments, int64_t, Values& values,
                                     Running& running) {
    if (!arguments.layer) {
      values.for_each([&](float& x) { running.squares += x * x; });
      return;
    }
    const int present = values.count_present();
    if (present == 0) {
      return;
    }
    const auto count = static_cast<float>(present);
    float sum = 0;
    values.for_each([&](float& x) { sum += x; });
    const float mean = sum * isa::reciprocal_approximate(count);
    float squares = 0;
    values.for_each_present([&](float x) {
      const float distance = x - mean;
      squares += distance * distance;
    });
    const float both = running.count + count;
    const float share = count * isa::reciprocal_approximate(both);
    const float distance = mean - running.mean;
    running.squares += squares + distance * distance * running.count * share;
    running.mean += distance * share;
    running.count = both;
  }

  template <class Reduce>
  static WARPLINE_DEVICE Part part_of(const Arguments& arguments, int columns,
                                      const Running& running, Reduce& reduce) {
    const auto add = [](float a, float b) { return a + b; };
    Part part{columns > 0 ? static_cast<float>(columns) : 0, 0, running.squares, 0};
    if (arguments.layer) {
      const float sum = reduce(running.count * running.mean, add);
      part.mean = columns > 0 ? sum * isa::reciprocal_approximate(part.count) : 0;
      const float distance = running.mean - part.mean;
      part.squares += running.count * distance * distance;
    }
    part.squares = reduce(part.squares, add);
    return part;
  }

  struct Result {
    float mean;
    float rstd;
  };

  template <int Ctas>
  static WARPLINE_DEVICE Result result_of(const Arguments& arguments, const Part& part) {
    const auto add = [](float a, float b) { return a + b; };
    Result result{0, 0};
    float squares = part.squares;
    if (Ctas == 1) {
      result.mean = part.mean;  // as it was rounded once
    } else if (arguments.layer) {
      result.mean = reduce_lanes<Ctas>(part.count * part.mean, add) * arguments.of_one;
      const float distance = part.mean - result.mean;
      squares += part.count * distance * distance;
    }
    squares = reduce_lanes<Ctas>(squares, add);
    result.rstd = rstd_of(arguments, squares);
    return result;
  }

  static WARPLINE_DEVICE bool writes(const Arguments&) { return true; }

  static WARPLINE_DEVICE void announce(const Arguments& arguments, int64_t row,
                                       const Result& result) {
    store_statistics(arguments, row, result.mean, result.rstd);
  }

  template <class Values>
  static WARPLINE_DEVICE void write(const Arguments& arguments, int64_t row, const Result& result,
                                    Values& values) {
    if (arguments.sum.data != nullptr) {
      store_values(arguments.sum, row, values, [](float x) { return x; });
    }
    if (arguments.layer) {
      values.for_each([&](float& x) { x -= result.mean; });
    }
    normalize(arguments, 0, result.rstd, values);
    store_values(arguments.y, row, values, [](float x) { return x; });
  }
};

}  // namespace warpline::inline WARPLINE_TARGET
