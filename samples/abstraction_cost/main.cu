// What the abstractions cost: the warp-specialised matmul of the framework against its twin written
// by hand in raw PTX (tests/gpu/handwritten_matmul.h), pair by pair on the GPU. Prints the ratio;
// the results must be equal bit for bit. Exit status: 1 if something failed, 2 if the command line
// is wrong.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "matmul/warp_specialized_entry.h"
#include "samples/support/program.h"
#include "samples/support/timeline.h"
#include "samples/support/usage_error.h"
#include "tests/gpu/handwritten_matmul.h"
#include "warpline/trace_session.h"

namespace {

using namespace warpline;  // NOLINT(google-build-using-namespace): a program

struct DeviceMatrix {
  explicit DeviceMatrix(int size) : elements(static_cast<std::size_t>(size) * size) {
    isa::check_cuda(cudaMalloc(&data, bytes()), "cannot allocate a matrix");
  }
  ~DeviceMatrix() { cudaFree(data); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  std::size_t bytes() const { return elements * sizeof(__half); }
  std::vector<__half> host() const {
    std::vector<__half> copy(elements);
    isa::check_cuda(cudaMemcpy(copy.data(), data, bytes(), cudaMemcpyDeviceToHost),
                    "cannot read a result");
    return copy;
  }

  std::size_t elements;
  __half* data = nullptr;
};

void fill_random(const DeviceMatrix& matrix, unsigned seed) {
  std::minstd_rand dice(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<__half> host(matrix.elements);
  for (__half& element : host) {
    element = __float2half(value(dice));
  }
  isa::check_cuda(cudaMemcpy(matrix.data, host.data(), matrix.bytes(), cudaMemcpyHostToDevice),
                  "cannot write");
}

class Stopwatch {
 public:
  Stopwatch() {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  double milliseconds(const std::function<void()>& run, int launches) {
    cudaEventRecord(begin_);
    for (int i = 0; i < launches; ++i) {
      run();
    }
    cudaEventRecord(end_);
    isa::check_cuda(cudaEventSynchronize(end_), "a kernel failed");
    float total = 0;
    cudaEventElapsedTime(&total, begin_, end_);
    return total / launches;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct CommandLine {
  int size = 8192;
  int pairs = 51;
  int launches = 6;
  std::optional<int> stages;
  sample::TraceOptions trace;
};

/// One launch of the framework's kernel; the twin records nothing.
void record(const MatmulPlan& plan, const sample::TraceOptions& options) {
  Stream stream = nullptr;
  TraceLimits limits;
  if (options.multiprocessors != 0) {
    limits.multiprocessors = static_cast<uint32_t>(options.multiprocessors);
  }
  TraceSession session(stream, limits);
  plan.run();
  sample::report_trace(options, session.finish());
}

template <int Stages>
void compare(const CommandLine& line) {
  const int size = line.size;
  const DeviceMatrix a(size);
  const DeviceMatrix b(size);
  const DeviceMatrix ours(size);
  const DeviceMatrix theirs(size);
  fill_random(a, 1);
  fill_random(b, 2);

  constexpr MatmulKernel kernel =
      WarpSpecializedEntry<WarpSpecializedConfig{.stages = Stages}>::line("warp_specialized");
  const MatmulPlan plan(kernel, {a.data, b.data, ours.data, size, size, size, size, size, size});
  const auto framework = [&] { plan.run(); };

  using Tile = SharedTile<__half, 128, 64>;
  const auto map = [&](const DeviceMatrix& matrix) {
    const auto words =
        make_tensor_map<Tile>(MatrixView<__half>{matrix.data, size, size, size}, "operand");
    return std::bit_cast<CUtensorMap>(static_cast<const isa::TensorMapWords&>(words));
  };
  const CUtensorMap a_map = map(a);
  const CUtensorMap b_map = map(b);
  constexpr int shared = handwritten::shared_bytes<Stages>;
  isa::check_cuda(cudaFuncSetAttribute(handwritten::matmul<Stages>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
                  "the twin");
  const unsigned tiles = static_cast<unsigned>(size + 127) / 128;
  const auto twin = [&] {
    handwritten::matmul<Stages><<<dim3(tiles, tiles), handwritten::threads, shared>>>(
        a_map, b_map, theirs.data, size, size, size, size);
  };

  framework();
  twin();
  isa::check_cuda(cudaDeviceSynchronize(), "a kernel failed");
  const auto left = ours.host();
  const auto right = theirs.host();
  if (std::memcmp(left.data(), right.data(), ours.bytes()) != 0) {
    throw Error("the two kernels' results differ");
  }
  if (line.trace.wanted()) {
    record(plan, line.trace);
  }

  Stopwatch watch;
  for (const bool cool : {true, false}) {
    std::vector<double> ratios;
    std::vector<double> times;
    for (int pair = -3; pair < line.pairs; ++pair) {  // three to warm up
      double framework_ms = 0;
      double twin_ms = 0;
      // The order changes from pair to pair: whoever comes second meets a warmer chip.
      for (const bool first : {true, false}) {
        if (cool) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        if (first == (pair % 2 == 0)) {
          framework_ms = watch.milliseconds(framework, line.launches);
        } else {
          twin_ms = watch.milliseconds(twin, line.launches);
        }
      }
      if (pair >= 0) {
        ratios.push_back(twin_ms / framework_ms);
        times.push_back(framework_ms);
      }
    }
    const double teraflops = 2.0 * size * size * size / median(times) / 1e9;
    std::printf(
        "%d stages, %-9s  hand-written time / framework time %.4f  (framework %.4f ms, %.0f "
        "TFLOPS)\n",
        Stages, cool ? "cool" : "sustained", median(ratios), median(times), teraflops);
  }
}

int run(const CommandLine& line) {
  if (line.size % 8 != 0) {
    throw sample::UsageError("--size " + std::to_string(line.size) + " is no multiple of 8");
  }
  if (line.trace.wanted() && !line.stages) {
    throw sample::UsageError("--trace is of one kernel: choose one with --stages");
  }
  check_trace_files(line.trace);
  isa::require_hopper();
  if (traced) {
    std::puts("compiled with timelines: the framework's kernel pays for that, its twin does not");
  }
  if (line.stages.value_or(2) == 2) {
    compare<2>(line);
  }
  if (line.stages.value_or(3) == 3) {
    compare<3>(line);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Times the framework's warp-specialised matmul against its twin in raw PTX, on the GPU.",
      "abstraction_cost"};
  CommandLine line;
  app.add_option("--size", line.size, "M = N = K, a multiple of 8")
      ->capture_default_str()
      ->check(CLI::Range(8, 32768));
  app.add_option("--pairs", line.pairs, "Pairs of measurements")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--launches", line.launches, "Launches in one measurement")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--stages", line.stages, "Only kernels of so many: 2 or 3")
      ->check(CLI::IsMember({2, 3}));
  sample::add_trace_options(app, line.trace);
  int status = 0;
  if (!sample::parse(app, argc, argv, status)) {
    return status;
  }
  return sample::exit_status_of("abstraction_cost", [&] { return run(line); });
}
