// warpline::matmul on the GPU: random calls of every kind, graphs, threads, and the same bits from
// run to run.
#include <chrono>
#include <thread>

#include "tests/kernels/matmul_call.h"
#include "tests/kernels/matmul_call_steps.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const Place place(nullptr);

TEST_CASE("matmul: 400 random calls that copies can take") {
  std::mt19937 random(1);
  for (unsigned seed = 1; seed <= 400; ++seed) {
    check_call(aligned_shape(random, seed % 4 == 0 ? 700 : 260), seed, place);
  }
}

TEST_CASE("matmul: 400 random calls of every kind") {
  if (!has_general_lines()) {
    SKIP("no kernel takes every call");
  }
  std::mt19937 random(2);
  for (unsigned seed = 1; seed <= 400; ++seed) {
    check_call(any_shape(random, seed % 4 == 0 ? 700 : 260), seed, place);
  }
}

TEST_CASE("matmul: 60 epilogues of every operand") {
  std::mt19937 random(3);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CallShape shape = aligned_shape(random, 400);
    shape.by_address = false;
    shape.d_type = seed % 2 == 0 ? ElementType::fp32 : shape.type;
    shape.d.padding += static_cast<int>(seed % 3);
    shape.beta = seed % 3 == 0 ? 0.5f : 0.0f;
    check_steps(shape, seed, place);
  }
  // More tiles of 128 x 192 than multiprocessors one way round, fewer the other.
  const CallShape tall{.m = 17'200, .n = 20, .k = 64, .b = {.column_major = true}};
  const CallShape wide{.m = 20, .n = 17'200, .k = 64, .b = {.column_major = true}};
  CHECK(check_steps(tall, 61, place, "128x192_s"));
  CHECK_FALSE(check_steps(wide, 62, place, "128x192_s"));
}

TEST_CASE("matmul: every kernel by its name, whole and split") {
  for (const std::string& name : matmul_kernel_names()) {
    const MatmulLine& line = call_line(name);
    for (const int splits : {1, line.takes_splits() ? 3 : 1}) {
      const bool exchanged = name.find("_t") != std::string::npos;
      const CallShape shape{.m = line.streams_b ? 11
                                 : exchanged    ? 56
                                                : 520,
                            .n = 1544,
                            .k = 1000,
                            .b = {.column_major = true}};
      check_call(shape, 3, place, name, splits);
    }
  }
}

TEST_CASE("matmul: large shapes") {
  check_call({.m = 4096, .n = 4096, .k = 512, .b = {.column_major = true}}, 1, place);
  check_call({.m = 16,
              .n = 8192,
              .k = 4096,
              .type = ElementType::bf16,
              .d_type = ElementType::bf16,
              .b = {.column_major = true}},
             2, place);
  check_call({.m = 3000, .n = 1000, .k = 3000}, 3, place);
}

TEST_CASE("matmul: more than 2^31 elements") {
  // D: 70,000 x 40,000; every row of A is the same, and every column of B.
  constexpr std::int64_t m = 70'000;
  constexpr std::int64_t n = 40'000;
  constexpr std::int64_t k = 64;
  const DeviceArray<__half> a(std::vector<__half>(m * k, __float2half(0.5f)));
  const DeviceArray<__half> b(std::vector<__half>(k * n, __float2half(0.25f)));
  __half* d = nullptr;
  if (cudaMalloc(&d, sizeof(__half) * m * n) != cudaSuccess) {
    cudaGetLastError();
    SKIP("the GPU has no 5.6 GB left");
  }
  isa::check_cuda(cudaMemset(d, 255, sizeof(__half) * m * n), "a test's cudaMemset");
  matmul(place, row_major(d, m, n), row_major(a.data(), m, k), row_major(b.data(), k, n));
  std::vector<__half> row(n);
  for (const std::int64_t r : {std::int64_t{0}, m / 2, std::int64_t{53'688}, m - 1}) {
    isa::check_cuda(cudaMemcpy(row.data(), d + r * n, sizeof(__half) * n, cudaMemcpyDeviceToHost),
                    "a test's download");
    for (const __half value : row) {
      REQUIRE(__half2float(value) == 8.0f);
    }
  }
  cudaFree(d);
}

TEST_CASE("matmul: the same bits in 1000 runs") {
  const CallShape shape{.m = 520, .n = 776, .k = 2000, .b = {.column_major = true}};
  for (const int splits : {1, 4}) {
    const CallCase call(shape, 5);
    MatmulOptions options = call.options();
    options.splits = splits;
    const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), options);
    plan.run(place);
    const std::vector<unsigned char> first = call.output();
    REQUIRE(call.error() == "");
    for (int run = 0; run < 1000; ++run) {
      plan.run(place);
      if (run % 20 == 19) {
        REQUIRE(call.output() == first);
      }
    }
  }
}

class OwnStream {
 public:
  OwnStream() { isa::check_cuda(cudaStreamCreate(&stream_), "a test's cudaStreamCreate"); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

TEST_CASE("matmul: captured in a graph, as a plan and as a call") {
  const CallShape shape{.m = 200, .n = 264, .k = 1000, .b = {.column_major = true}};
  const OwnStream stream;
  for (const bool planned : {true, false}) {
    const CallCase call(shape, 6);
    MatmulOptions options = call.options();
    options.splits = 3;
    const PreparedMatmul plan = matmul_plan(Place(stream), call.d(), call.a(), call.b(), options);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    isa::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    if (planned) {
      plan.run(Place(stream));
    } else {
      matmul(Place(stream), call.d(), call.a(), call.b(), options);
    }
    isa::check_cuda(cudaStreamEndCapture(stream, &graph), "the end of a capture");
    isa::check_cuda(cudaGraphInstantiate(&executable, graph, 0), "a graph");
    for (int run = 0; run < 3; ++run) {
      call.restore();
      isa::check_cuda(cudaGraphLaunch(executable, stream), "a graph's launch");
      isa::check_cuda(cudaStreamSynchronize(stream), "a graph's run");
      REQUIRE(call.error() == "");
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
}

TEST_CASE("matmul: one plan on several threads and streams") {
  const CallCase call({.m = 300, .n = 264, .k = 500, .b = {.column_major = true}}, 7);
  MatmulOptions options = call.options();
  options.splits = 1;
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), options);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      const OwnStream stream;
      for (int run = 0; run < 50; ++run) {
        plan.run(Place(stream));
      }
      cudaStreamSynchronize(stream);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(call.error() == "");
}

TEST_CASE("matmul: dependent launches, each reading what the one before has written") {
  constexpr std::int64_t n = 512;
  std::vector<__half> permutation(n * n, __float2half(0.0f));
  std::vector<__half> values(n * n);
  std::mt19937 random(8);
  for (std::int64_t i = 0; i < n; ++i) {
    permutation[static_cast<std::size_t>(i * n + (i + 1) % n)] = __float2half(1.0f);
  }
  for (__half& value : values) {
    value = __float2half(static_cast<float>(random() % 100));
  }
  const DeviceArray<__half> shift(permutation);
  const DeviceArray<__half> even(values);
  const DeviceArray<__half> odd(values);
  const MatmulOptions options{.dependent_launch = true};
  const auto step = [&](const DeviceArray<__half>& to, const DeviceArray<__half>& from) {
    return matmul_plan(place, row_major(to.data(), n, n), row_major(shift.data(), n, n),
                       row_major(from.data(), n, n), options);
  };
  const PreparedMatmul forth = step(odd, even);
  const PreparedMatmul back = step(even, odd);
  // A shift of the rows by one, as often as there are rows: the same again.
  for (std::int64_t run = 0; run < n / 2; ++run) {
    forth.run(place);
    back.run(place);
  }
  const std::vector<__half> result = even.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    REQUIRE(__half2float(result[i]) == __half2float(values[i]));
  }
}

TEST_CASE("matmul: memory of the host is refused") {
  const CallCase call({.m = 64, .n = 64, .k = 64}, 9);
  std::vector<__half> host(64 * 64);
  const auto plan = [&] { matmul_plan(place, row_major(host.data(), 64, 64), call.a(), call.b()); };
  CHECK_THROWS_WITH(plan(), Catch::Matchers::ContainsSubstring("D: its address is in host memory"));
  CHECK(cudaGetLastError() == cudaSuccess);
}

struct Bytes {
  unsigned char bytes[640];
};
__global__ void nothing(const __grid_constant__ Bytes) {}

TEST_CASE("matmul: a plan's run costs at most 1 us above a bare launch") {
  const CallCase call({.m = 128, .n = 128, .k = 64, .b = {.column_major = true}}, 10);
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), call.options());
  const OwnStream stream;
  const auto microseconds = [&](auto launch) {
    std::vector<double> times;
    for (int turn = 0; turn < 21; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      for (int run = 0; run < 200; ++run) {
        launch();
      }
      const auto end = std::chrono::steady_clock::now();
      isa::check_cuda(cudaStreamSynchronize(stream), "launches");
      times.push_back(std::chrono::duration<double, std::micro>(end - start).count() / 200);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(384);
  config.stream = stream;
  const double bare = microseconds([&] { cudaLaunchKernelEx(&config, nothing, Bytes{}); });
  const double planned = microseconds([&] { plan.run(Place(stream)); });
  WARN("a bare launch takes " << bare << " us, a plan's run " << planned << " us");
  if (!checked && !traced) {
    CHECK(planned < bare + 1);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
