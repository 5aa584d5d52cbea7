#include "samples/rows_bench/measure.h"

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "reduction/reduce.h"
#include "samples/rows_bench/operations.h"
#include "samples/rows_bench/references.h"
#include "samples/rows_bench/suite.h"
#include "samples/rows_bench/turns.h"

namespace sample::rows {

namespace {

using warpline::ElementType;
using warpline::Matrix;
using warpline::MutableMatrix;
using Json = nlohmann::ordered_json;

/// More than three times the L2 cache passes between two uses of the same memory.
constexpr std::size_t cold_bytes = std::size_t{200} << 20;

std::size_t rounded_up(std::size_t bytes) { return (bytes + 511) / 512 * 512; }

/// Random bits, of which a block is made once and laid out again and again.
void fill_random(const DeviceMemory& memory, std::size_t bytes, bool numbers) {
  const std::size_t block = std::min(bytes, std::size_t{32} << 20);
  std::vector<std::uint16_t> values(block / 2);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (std::uint16_t& value : values) {
    if (numbers) {
      const float real = normal(random);
      std::uint32_t bits;
      std::memcpy(&bits, &real, 4);
      value = static_cast<std::uint16_t>(bits >> 16);  // bf16
    } else {
      value = static_cast<std::uint16_t>(random());
    }
  }
  memory.upload(0, values.data(), block);
  for (std::size_t filled = block; filled < bytes;) {
    const std::size_t more = std::min(filled, bytes - filled);
    memory.duplicate(filled, 0, more);
    filled += more;
  }
}

/// Inputs and outputs of one shape, in sets.
struct Sets {
  Sets(std::size_t bytes, std::size_t extra)
      : each(rounded_up(bytes)),
        count(std::max<std::size_t>(2, cold_bytes / (2 * each) + 1)),
        x(each * count, "inputs"),
        y(each * count, "outputs"),
        weights(rounded_up(extra), "weights") {
    fill_random(x, each * count, true);
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
  const Sets sets(bytes, static_cast<std::size_t>(shape.columns * 2));
  std::vector<warpline::PreparedRows> plans;
  for (std::size_t set = 0; set < sets.count; ++set) {
    const std::size_t at = set * sets.each;
    plans.push_back(prepare(
        operation, warpline::Place(static_cast<CUstream_st*>(nullptr)),
        MutableMatrix(sets.y.at(at), ElementType::bf16, shape.rows, shape.columns, shape.columns),
        Matrix(sets.x.at(at), ElementType::bf16, shape.rows, shape.columns, shape.columns),
        sets.weights.at(0)));
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
  const double moved = 2 * static_cast<double>(bytes);
  const double best_copy = std::min(times[1], times[2]);
  fmt::print(
      "{:<11} {:>8} x {:<7} {:>9.2f} us {:>6.0f} GB/s   copy {:>6.0f} / {:>6.0f} GB/s   "
      "of the better copy {:>5.3f}\n",
      operation, shape.rows, shape.columns, times[0], moved / times[0] / 1000,
      moved / times[1] / 1000, moved / times[2] / 1000, best_copy / times[0]);
  std::fflush(stdout);
  return {{"operation", operation},
          {"rows", shape.rows},
          {"columns", shape.columns},
          {"microseconds", times[0]},
          {"copy_kernel_microseconds", times[1]},
          {"copy_runtime_microseconds", times[2]},
          {"kernel", plans.front().choice()}};
}

Json measure_sum(std::int64_t count, const Effort& effort) {
  const std::size_t each = rounded_up(static_cast<std::size_t>(count) * 4);
  const std::size_t sets = std::max<std::size_t>(1, cold_bytes / each + 1);
  const DeviceMemory x(each * sets, "integers");
  fill_random(x, each * sets, false);
  const DeviceMemory out(1024, "sums");
  const std::size_t cub_bytes = cub_sum_workspace(count);
  const DeviceMemory cub_workspace(rounded_up(cub_bytes), "CUB");
  std::vector<warpline::PreparedReduction> plans;
  for (std::size_t set = 0; set < sets; ++set) {
    plans.push_back(warpline::reduce_plan(
        static_cast<CUstream_st*>(nullptr),
        warpline::row_major(reinterpret_cast<std::int32_t*>(out.at(0)), 1, 1),
        warpline::row_major(reinterpret_cast<const std::int32_t*>(x.at(set * each)), 1, count)));
  }
  auto* cub_out = reinterpret_cast<std::int32_t*>(out.at(512));
  const Contestants contestants = {
      .launches = {
          [&](CUstream_st* stream, std::size_t set) { plans[set].run(warpline::Place(stream)); },
          [&](CUstream_st* stream, std::size_t set) {
            cub_sum(stream, cub_out, reinterpret_cast<const std::int32_t*>(x.at(set * each)), count,
                    cub_workspace.at(0), cub_bytes);
          }},
      .sets = sets};
  const std::vector<double> times =
      microseconds_in_turns(contestants, effort.rounds, effort.milliseconds);
  // Timings end with different sets.
  const GpuStream stream;
  for (const Launch& launch : contestants.launches) {
    launch(static_cast<CUstream_st*>(stream.handle()), 0);
  }
  stream.synchronize();
  std::int32_t sums[2];
  out.download(&sums[0], 0, 4);
  out.download(&sums[1], 512, 4);
  const double bytes = 4 * static_cast<double>(count);
  fmt::print(
      "sum         {:>18} {:>9.2f} us {:>6.0f} GB/s   cub {:>6.0f} GB/s   ratio {:>5.3f}{}\n",
      count, times[0], bytes / times[0] / 1000, bytes / times[1] / 1000, times[1] / times[0],
      sums[0] == sums[1] ? "" : "   THE SUMS DIFFER");
  std::fflush(stdout);
  return {{"operation", "sum"},
          {"count", count},
          {"microseconds", times[0]},
          {"cub_microseconds", times[1]},
          {"same_sum", sums[0] == sums[1]}};
}

}  // namespace

Json measure(const std::vector<std::string>& operations, const Effort& effort) {
  Json results = Json::array();
  for (const std::string& operation : operations) {
    if (operation == "sum") {
      for (const int log2_count : {19, 24, 28, 30}) {
        results.push_back(measure_sum(std::int64_t{1} << log2_count, effort));
      }
      continue;
    }
    double log_sum = 0;
    for (const Shape& shape : suite) {
      const Json result = measure_rows(operation, shape, effort);
      log_sum += std::log(std::min(result["copy_kernel_microseconds"].get<double>(),
                                   result["copy_runtime_microseconds"].get<double>()) /
                          result["microseconds"].get<double>());
      results.push_back(result);
    }
    fmt::print("{:<11} geometric mean of the better copy: {:.3f}\n", operation,
               std::exp(log_sum / static_cast<double>(std::size(suite))));
  }
  return results;
}

}  // namespace sample::rows

#endif
