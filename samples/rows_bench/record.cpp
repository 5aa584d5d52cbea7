#include "samples/rows_bench/record.h"

#include <cstdint>
#include <vector>

#include "matmul/catalog.h"
#include "samples/rows_bench/operations.h"
#include "samples/support/gpu.h"
#include "simulator/recording.h"

namespace sample::rows {

namespace {

using warpline::ElementType;
using warpline::Place;

struct Size {
  std::int64_t rows;
  std::int64_t columns;

  std::size_t count() const { return static_cast<std::size_t>(rows * columns); }
};

/// Memory that an operation works on: units of 16 bits, twice x, y, three rows of weights and their
/// gradients, and numbers for each row. Sums are of bf16 here.
struct Layout {
  Size size;

  std::size_t inputs() const { return 2 * size.count(); }
  std::size_t outputs() const { return size.count(); }
  std::size_t weights() const { return 3 * static_cast<std::size_t>(size.columns); }
  /// Of 8 bytes: targets, and three numbers of fp32.
  std::size_t numbers() const { return 3 * static_cast<std::size_t>(size.rows); }

  Operands operands(void* x, void* y, void* weights, void* numbers) const {
    const auto matrix = [&](void* data, std::size_t offset, std::int64_t rows,
                            std::int64_t columns) {
      return warpline::MutableMatrix(static_cast<std::uint16_t*>(data) + offset, ElementType::bf16,
                                     rows, columns, columns);
    };
    const auto row = static_cast<std::size_t>(size.columns);
    const auto rows = static_cast<std::size_t>(size.rows);
    auto* const targets = static_cast<std::int64_t*>(numbers);
    auto* const floats = reinterpret_cast<float*>(targets + rows);
    return {.x = matrix(x, 0, size.rows, size.columns),
            .second = matrix(x, size.count(), size.rows, size.columns),
            .y = matrix(y, 0, size.rows, size.columns),
            .weight = matrix(weights, 0, 1, size.columns),
            .numbers = {targets, floats, floats + rows, floats + 2 * rows},
            .dweight = matrix(weights, row, 1, size.columns),
            .dbias = matrix(weights, 2 * row, 1, size.columns)};
  }
};

/// Reductions have as many results as there are rows or columns.
Operands shaped(const std::string& operation, Operands operands) {
  if (operation == "sum") {
    operands.y.columns = 1;
    operands.y.row_stride = 1;
  } else if (operation == "columns") {
    operands.y.rows = 1;
  }
  return operands;
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
  constexpr Layout layout{{.rows = 64, .columns = 4096}};
  std::vector<std::uint16_t> x = numbers(layout.inputs());
  std::vector<std::uint16_t> y(layout.outputs());
  std::vector<std::uint16_t> weights = numbers(layout.weights());
  std::vector<std::int64_t> per_row(layout.numbers());
  warpline::simulator::TimelineRecording recording;
  const Place place(traced_options(trace, 1, recording));
  const Operands operands =
      shaped(operation, layout.operands(x.data(), y.data(), weights.data(), per_row.data()));
  prepare(operation, place, operands).run(place);
  report_trace(trace, recording.take());
}

#if WARPLINE_HAS_GPU

void record_on_gpu(const std::string& operation, const TraceOptions& trace) {
  constexpr Layout layout{{.rows = 16384, .columns = 4096}};
  const auto upload = [](const DeviceMemory& memory, const auto& values) {
    memory.upload(0, values.data(), values.size() * sizeof(values[0]));
  };
  const DeviceMemory x(layout.inputs() * 2, "inputs");
  const DeviceMemory y(layout.outputs() * 2, "outputs");
  const DeviceMemory weights(layout.weights() * 2, "weights");
  const DeviceMemory per_row(layout.numbers() * 8, "numbers of rows");
  upload(x, numbers(layout.inputs()));
  upload(weights, numbers(layout.weights()));
  upload(per_row, std::vector<std::int64_t>(layout.numbers()));
  const GpuStream stream;
  const Place place(static_cast<CUstream_st*>(stream.handle()));
  const Prepared run =
      prepare(operation, place,
              shaped(operation, layout.operands(x.at(0), y.at(0), weights.at(0), per_row.at(0))));
  run.run(place);  // its first launch loads code
  stream.synchronize();
  warpline::begin_gpu_timeline(
      trace.multiprocessors == 0 ? 2U : static_cast<std::uint32_t>(trace.multiprocessors));
  run.run(place);
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
