// What the abstractions cost: the warp-specialised matmul of the framework against its twin written
// by hand in raw PTX (tests/gpu/handwritten_matmul.h), pair by pair on the GPU. Prints the ratio;
// the results must be equal bit for bit.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include "matmul/warp_specialized_entry.h"
#include "tests/gpu/handwritten_matmul.h"

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

template <int Stages>
void compare(int size, int pairs, int launches) {
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

  Stopwatch watch;
  for (const bool cool : {true, false}) {
    std::vector<double> ratios;
    std::vector<double> times;
    for (int pair = -3; pair < pairs; ++pair) {  // three to warm up
      double framework_ms = 0;
      double twin_ms = 0;
      // The order changes from pair to pair: whoever comes second meets a warmer chip.
      for (const bool first : {true, false}) {
        if (cool) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        if (first == (pair % 2 == 0)) {
          framework_ms = watch.milliseconds(framework, launches);
        } else {
          twin_ms = watch.milliseconds(twin, launches);
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Times the framework's warp-specialised matmul against its twin in raw PTX, on the GPU."};
  int size = 8192;
  int pairs = 51;
  int launches = 6;
  app.add_option("--size", size, "M = N = K, a multiple of 8")
      ->capture_default_str()
      ->check(CLI::Range(8, 32768));
  app.add_option("--pairs", pairs, "pairs of measurements")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--launches", launches, "launches in one measurement")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  try {
    if (size % 8 != 0) {
      throw Error("--size " + std::to_string(size) + " is no multiple of 8");
    }
    isa::require_hopper();
    compare<2>(size, pairs, launches);
    compare<3>(size, pairs, launches);
  } catch (const std::exception& error) {
    std::cerr << "abstraction_cost: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
