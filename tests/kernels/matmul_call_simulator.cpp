// warpline::matmul on the simulator.
#include "tests/kernels/matmul_call.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("matmul: random calls that copies can take") {
  std::mt19937 random(1);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check_call(aligned_shape(random, 200), seed,
               simulator::Options{.seed = seed, .policy = every_policy[seed % 3]});
  }
}

TEST_CASE("matmul: random calls of every kind") {
  if (!has_general_lines()) {
    return;
  }
  std::mt19937 random(2);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check_call(any_shape(random, 150), seed,
               simulator::Options{.seed = seed, .policy = every_policy[seed % 3]});
  }
}

TEST_CASE("matmul: nothing to do") {
  const Place place = simulator::Options{};
  for (const CallShape& shape : {CallShape{.m = 0, .n = 8, .k = 8}, CallShape{.m = 8, .k = 8},
                                 CallShape{.m = 8, .n = 8, .k = 8, .batch = 0}}) {
    const CallCase call(shape, 1);
    const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), call.options());
    plan.run(place);
    CHECK(plan.choice() == "nothing to do");
    CHECK(call.error() == "");
  }
}

TEST_CASE("matmul: every kernel by its name") {
  for (const std::string& name : matmul_kernel_names()) {
    const bool exchanged = name.find("_t") != std::string::npos;
    const CallShape shape{.m = call_line(name).streams_b ? 11
                               : exchanged               ? 24
                                                         : 136,
                          .n = 144,
                          .k = 72};
    const CallCase call(shape, 3);
    MatmulOptions options = call.options();
    options.kernel = name;
    const Matrix b(call.b().data, shape.type, shape.k, shape.n, 1, shape.k);
    const PreparedMatmul plan = matmul_plan(simulator::Options{}, call.d(), call.a(), b, options);
    CHECK(plan.choice().substr(0, name.size()) == name);
  }
}

TEST_CASE("matmul: a workspace of the caller's is used, and left for the next run") {
  const CallShape shape{.m = 130, .n = 72, .k = 320, .b = {.column_major = true}};
  const CallCase call(shape, 11);
  MatmulOptions options = call.options();
  options.kernel = "128x128_c1x1";
  options.splits = 3;
  const Place place = simulator::Options{};
  const std::size_t bytes =
      matmul_plan(place, call.d(), call.a(), call.b(), options).workspace_bytes();
  REQUIRE(bytes > 0);
  const DeviceArray<unsigned char> memory(std::vector<unsigned char>(bytes, 0));
  options.workspace = memory.data();
  options.workspace_bytes = bytes;
  const PreparedMatmul plan = matmul_plan(place, call.d(), call.a(), call.b(), options);
  for (int run = 0; run < 2; ++run) {
    call.restore();
    plan.run(place);
    REQUIRE(call.error() == "");
  }
  const std::vector<unsigned char> after = memory.values();
  // 16 KiB of counters come first; the sums behind them are whatever they are.
  const auto sums = after.begin() + 16384;
  CHECK(std::all_of(after.begin(), sums, [](unsigned char b) { return b == 0; }));
  CHECK(std::any_of(sums, after.end(), [](unsigned char b) { return b != 0; }));
}

TEST_CASE("matmul: plans that add sums in any order share a workspace with those that do not") {
  const CallShape shape{.m = 130, .n = 72, .k = 320, .b = {.column_major = true}};
  const CallCase call(shape, 12);
  MatmulOptions options = call.options();
  options.kernel = "128x128_c1x1";
  options.splits = 4;
  const Place place = simulator::Options{};
  const auto plan = [&](bool deterministic) {
    options.deterministic = deterministic;
    return matmul_plan(place, call.d(), call.a(), call.b(), options);
  };
  const std::size_t bytes = plan(true).workspace_bytes();
  // One sum for each tile instead of three.
  REQUIRE(plan(false).workspace_bytes() - 16384 == (bytes - 16384) / 3);
  const DeviceArray<unsigned char> memory(std::vector<unsigned char>(bytes, 0));
  options.workspace = memory.data();
  options.workspace_bytes = bytes;
  for (const bool deterministic : {false, true, false, false}) {
    call.restore();
    plan(deterministic).run(place);
    REQUIRE(call.error() == "");
  }
}

TEST_CASE("matmul: the same bits whatever the schedule") {
  const CallShape shape{.m = 200, .n = 264, .k = 320, .b = {.column_major = true}};
  const std::pair<std::string, int> ways[] = {
      {"128x128_c1x1", 3}, {"128x256_c2x1", 3}, {"128x128_c1x1", stream_k}};
  for (const auto& [kernel, splits] : ways) {
    INFO(kernel << ", " << splits << " splits");
    std::vector<unsigned char> first;
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const CallCase call(shape, 7);
      MatmulOptions options = call.options();
      options.kernel = kernel;
      options.splits = splits;
      options.raster = splits == stream_k ? hilbert_raster : 0;
      const Place place = simulator::Options{.seed = seed, .policy = every_policy[seed % 3]};
      matmul(place, call.d(), call.a(), call.b(), options);
      REQUIRE(call.error() == "");
      if (first.empty()) {
        first = call.output();
      }
      REQUIRE(call.output() == first);
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
