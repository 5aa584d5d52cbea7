#include "samples/rows_bench/measure_reductions.h"

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <fmt/format.h>

#include "reduction/reduce.h"
#include "samples/rows_bench/cold_memory.h"
#include "samples/rows_bench/references.h"
#include "samples/rows_bench/suite.h"
#include "samples/rows_bench/turns.h"

namespace sample::rows {

namespace {

using Json = nlohmann::ordered_json;

const warpline::Place place(static_cast<CUstream_st*>(nullptr));

/// A sum and an index fit into 8 bytes.
struct Results {
  std::int64_t ours = 0;
  std::int64_t cubs = 0;
};

Json measure_whole(const std::string& operation, std::int64_t count, const Effort& effort) {
  const bool argmax = operation == "argmax";
  const std::size_t each = rounded_up(static_cast<std::size_t>(count) * 4);
  const std::size_t sets = std::max<std::size_t>(1, cold_bytes / each + 1);
  const DeviceMemory x(each * sets, "integers");
  fill_random(x, each * sets, false);
  const DeviceMemory out(sizeof(Results), "results");
  const Results zeros;
  out.upload(0, &zeros, sizeof(zeros));
  const auto in = [&](std::size_t set) {
    return reinterpret_cast<const std::int32_t*>(x.at(set * each));
  };
  const std::size_t cub_bytes = argmax ? cub_argmax_workspace(count) : cub_sum_workspace(count);
  const DeviceMemory cub_workspace(rounded_up(cub_bytes), "CUB");
  std::vector<warpline::PreparedReduction> plans;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto row = warpline::row_major(in(set), 1, count);
    plans.push_back(
        argmax ? warpline::argmax_plan(place, reinterpret_cast<std::int64_t*>(out.at(0)), row)
               : warpline::reduce_plan(
                     place, warpline::row_major(reinterpret_cast<std::int32_t*>(out.at(0)), 1, 1),
                     row));
  }
  const auto cub = [&](CUstream_st* stream, std::size_t set) {
    unsigned char* const to = out.at(offsetof(Results, cubs));
    if (argmax) {
      cub_argmax(stream, reinterpret_cast<std::int64_t*>(to), in(set), count, cub_workspace.at(0),
                 cub_bytes);
    } else {
      cub_sum(stream, reinterpret_cast<std::int32_t*>(to), in(set), count, cub_workspace.at(0),
              cub_bytes);
    }
  };
  const Contestants contestants = {.launches = {[&](CUstream_st* stream, std::size_t set) {
                                                  plans[set].run(warpline::Place(stream));
                                                },
                                                cub},
                                   .sets = sets};
  const std::vector<double> times =
      microseconds_in_turns(contestants, effort.rounds, effort.milliseconds);
  // Timings end with different sets.
  const GpuStream stream;
  for (const Launch& launch : contestants.launches) {
    launch(static_cast<CUstream_st*>(stream.handle()), 0);
  }
  stream.synchronize();
  Results got;
  out.download(&got, 0, sizeof(got));
  const double bytes = 4 * static_cast<double>(count);
  fmt::print("{:<11} {:>18} {:>9.2f} us {:>6.0f} GB/s   cub {:>6.0f} GB/s   ratio {:>5.3f}{}\n",
             operation, count, times[0], bytes / times[0] / 1000, bytes / times[1] / 1000,
             times[1] / times[0], got.ours == got.cubs ? "" : "   THE RESULTS DIFFER");
  std::fflush(stdout);
  return {{"operation", operation},
          {"count", count},
          {"microseconds", times[0]},
          {"cub_microseconds", times[1]},
          {"same_result", got.ours == got.cubs}};
}

Json measure_columns(const Shape& shape, const Effort& effort) {
  const auto bytes = static_cast<std::size_t>(shape.rows * shape.columns * 2);
  const std::size_t each = rounded_up(bytes);
  const std::size_t sets = std::max<std::size_t>(1, cold_bytes / each + 1);
  const DeviceMemory x(each * sets, "inputs");
  fill_random(x, each * sets, true);
  const DeviceMemory out(rounded_up(static_cast<std::size_t>(shape.columns * 2)), "sums");
  std::vector<warpline::PreparedReduction> plans;
  for (std::size_t set = 0; set < sets; ++set) {
    plans.push_back(warpline::reduce_plan(
        place,
        warpline::MutableMatrix(out.at(0), warpline::ElementType::bf16, 1, shape.columns,
                                shape.columns),
        warpline::ReduceView::columns_of({x.at(set * each), warpline::ElementType::bf16, shape.rows,
                                          shape.columns, shape.columns})));
  }
  const double time =
      microseconds_in_turns({.launches = {[&](CUstream_st* stream, std::size_t set) {
                               plans[set].run(warpline::Place(stream));
                             }},
                             .sets = sets},
                            effort.rounds, effort.milliseconds)
          .front();
  fmt::print("{:<11} {:>8} x {:<7} {:>9.2f} us {:>6.0f} GB/s   {}\n", "columns", shape.rows,
             shape.columns, time, static_cast<double>(bytes) / time / 1000, plans.front().choice());
  std::fflush(stdout);
  return {{"operation", "columns"}, {"rows", shape.rows}, {"columns", shape.columns},
          {"microseconds", time},   {"bytes", bytes},     {"kernel", plans.front().choice()}};
}

}  // namespace

void measure_reductions(const std::string& operation, const Effort& effort, Json& results) {
  if (operation == "columns") {
    for (const Shape& shape : suite) {
      results.push_back(measure_columns(shape, effort));
    }
    return;
  }
  for (const int log2_count : {19, 24, 28, 30}) {
    results.push_back(measure_whole(operation, std::int64_t{1} << log2_count, effort));
  }
}

}  // namespace sample::rows

#endif
