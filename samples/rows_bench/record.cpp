#include "samples/rows_bench/record.h"

#include <cstdint>
#include <functional>
#include <vector>

#include "matmul/catalog.h"
#include "reduction/reduce.h"
#include "samples/rows_bench/operations.h"
#include "samples/support/gpu.h"
#include "simulator/recording.h"

namespace sample::rows {

namespace {

using warpline::ElementType;
using warpline::Place;

/// What is to be recorded, once it was checked and encoded.
using Run = std::function<void(const Place&)>;

struct Size {
  std::int64_t rows;
  std::int64_t columns;

  /// In units of 16 bits; enough for int32, too.
  std::size_t inputs() const { return static_cast<std::size_t>(2 * rows * columns); }
};

Run prepare_run(const std::string& operation, const Place& place, const Size& size, void* y,
                const void* x, const void* weights) {
  if (operation == "sum") {
    // Of each row: the kernel's first pass over one long row is the same.
    return warpline::reduce_plan(
        place, warpline::row_major(static_cast<std::int32_t*>(y), size.rows, 1),
        warpline::row_major(static_cast<const std::int32_t*>(x), size.rows, size.columns));
  }
  return prepare(operation, place, {y, ElementType::bf16, size.rows, size.columns, size.columns},
                 {x, ElementType::bf16, size.rows, size.columns, size.columns}, weights);
}

/// bf16 from 1 to 2.
std::vector<std::uint16_t> numbers(std::size_t count) {
  std::vector<std::uint16_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<std::uint16_t>(0x3f80 + i * 7 % 128));
  }
  return values;
}

void record_on_simulator(const std::string& operation, const TraceOptions& trace) {
  constexpr Size size{.rows = 64, .columns = 4096};
  const std::vector<std::uint16_t> x = numbers(size.inputs());
  const std::vector<std::uint16_t> weights = numbers(static_cast<std::size_t>(size.columns));
  std::vector<std::uint16_t> y(x.size());
  warpline::simulator::TimelineRecording recording;
  const Place place(traced_options(trace, 1, recording));
  prepare_run(operation, place, size, y.data(), x.data(), weights.data())(place);
  report_trace(trace, recording.take());
}

#if WARPLINE_HAS_GPU

void record_on_gpu(const std::string& operation, const TraceOptions& trace) {
  constexpr Size size{.rows = 16384, .columns = 4096};
  const auto upload = [](const DeviceMemory& memory, const std::vector<std::uint16_t>& values) {
    memory.upload(0, values.data(), values.size() * 2);
  };
  const std::size_t inputs = size.inputs();
  const DeviceMemory x(inputs * 2, "inputs");
  const DeviceMemory y(inputs * 2, "outputs");
  const DeviceMemory weights(static_cast<std::size_t>(size.columns) * 2, "weights");
  upload(x, numbers(inputs));
  upload(weights, numbers(static_cast<std::size_t>(size.columns)));
  const GpuStream stream;
  const Place place(static_cast<CUstream_st*>(stream.handle()));
  const Run run = prepare_run(operation, place, size, y.at(0), x.at(0), weights.at(0));
  run(place);  // its first launch loads code
  stream.synchronize();
  warpline::begin_gpu_timeline(
      trace.multiprocessors == 0 ? 2U : static_cast<std::uint32_t>(trace.multiprocessors));
  run(place);
  report_trace(trace, warpline::end_gpu_timeline({.stream = stream.handle()}));
}

#endif

}  // namespace

void record(const std::string& operation, bool on_gpu, const TraceOptions& trace) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    record_on_gpu(operation, trace);
    return;
  }
#endif
  (void)on_gpu;
  record_on_simulator(operation, trace);
}

}  // namespace sample::rows
