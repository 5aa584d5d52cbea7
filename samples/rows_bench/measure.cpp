#include "samples/rows_bench/measure.h"

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/rows_bench/cold_memory.h"
#include "samples/rows_bench/measure_reductions.h"
#include "samples/rows_bench/operations.h"
#include "samples/rows_bench/references.h"
#include "samples/rows_bench/row_numbers.h"
#include "samples/rows_bench/turns.h"

namespace sample::rows {

namespace {

using warpline::ElementType;
using warpline::Matrix;
using warpline::MutableMatrix;
using Json = nlohmann::ordered_json;

/// Inputs and outputs of one shape, in sets.
struct Sets {
  Sets(std::size_t bytes, std::size_t extra, std::size_t inputs)
      : each(rounded_up(bytes)),
        count(std::max<std::size_t>(2, cold_bytes / (2 * each) + 1)),
        x(each * count * inputs, "inputs"),
        y(each * count, "outputs"),
        weights(rounded_up(extra), "weights") {
    fill_random(x, each * count * inputs, true);
    fill_random(weights, rounded_up(extra), true);
  }
  std::size_t each;
  std::size_t count;
  DeviceMemory x;
  DeviceMemory y;
  DeviceMemory weights;
};

Json measure_rows(const std::string& operation, const Shape& shape, const Effort& effort) {
  const auto bytes = static_cast<std::size_t>(shape.rows * shape.columns * 2);
  const Traffic traffic = traffic_of(operation);
  const std::size_t row = rounded_up(static_cast<std::size_t>(shape.columns * 2));
  const Sets sets(bytes, 3 * row, static_cast<std::size_t>(traffic.reads));
  const RowNumbers numbers(shape, traffic.per_row == 0 ? 1 : sets.count);
  const warpline::Place place(static_cast<CUstream_st*>(nullptr));
  std::vector<Prepared> plans;
  for (std::size_t set = 0; set < sets.count; ++set) {
    const auto rows_at = [&](unsigned char* data, std::int64_t rows) {
      return MutableMatrix(data, ElementType::bf16, rows, shape.columns, shape.columns);
    };
    const std::size_t last = sets.count * (static_cast<std::size_t>(traffic.reads) - 1) + set;
    plans.push_back(prepare(operation, place,
                            {.x = rows_at(sets.x.at(set * sets.each), shape.rows),
                             .second = rows_at(sets.x.at(last * sets.each), shape.rows),
                             .y = rows_at(sets.y.at(set * sets.each), shape.rows),
                             .weight = rows_at(sets.weights.at(0), 1),
                             .numbers = numbers.of(set),
                             .dweight = rows_at(sets.weights.at(row), 1),
                             .dbias = rows_at(sets.weights.at(2 * row), 1)}));
  }
  const auto copy = [&](auto how) {
    return [&sets, how](CUstream_st* stream, std::size_t set) {
      how(stream, sets.y.at(set * sets.each), sets.x.at(set * sets.each), sets.each);
    };
  };
  const std::vector<double> times =
      microseconds_in_turns({.launches = {[&](CUstream_st* stream, std::size_t set) {
                                            plans[set].run(warpline::Place(stream));
                                          },
                                          copy(copy_by_kernel), copy(copy_by_runtime)},
                             .sets = sets.count},
                            effort.rounds, effort.milliseconds);
  const double moved = traffic.bytes(shape);
  const double copied = 2 * static_cast<double>(bytes);
  const double of_copy = moved / times[0] / (copied / std::min(times[1], times[2]));
  fmt::print(
      "{:<22} {:>8} x {:<7} {:>9.2f} us {:>6.0f} GB/s   copy {:>6.0f} / {:>6.0f} GB/s   "
      "of the better copy {:>5.3f}\n",
      operation, shape.rows, shape.columns, times[0], moved / times[0] / 1000,
      copied / times[1] / 1000, copied / times[2] / 1000, of_copy);
  std::fflush(stdout);
  return {{"operation", operation},
          {"rows", shape.rows},
          {"columns", shape.columns},
          {"microseconds", times[0]},
          {"bytes", moved},
          {"of_the_copys_speed", of_copy},
          {"copy_kernel_microseconds", times[1]},
          {"copy_runtime_microseconds", times[2]},
          {"kernel", plans.front().kernel}};
}

}  // namespace

Json measure(const std::vector<std::string>& operations, const Effort& effort) {
  Json results = Json::array();
  for (const std::string& operation : operations) {
    if (operation == "sum" || operation == "argmax" || operation == "columns") {
      measure_reductions(operation, effort, results);
      continue;
    }
    double log_sum = 0;
    for (const Shape& shape : effort.shapes) {
      const Json result = measure_rows(operation, shape, effort);
      log_sum += std::log(result["of_the_copys_speed"].get<double>());
      results.push_back(result);
    }
    fmt::print("{:<22} geometric mean of the better copy: {:.3f}\n", operation,
               std::exp(log_sum / static_cast<double>(effort.shapes.size())));
  }
  return results;
}

}  // namespace sample::rows

#endif
