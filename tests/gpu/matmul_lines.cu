// Every kernel behind warpline::matmul on the GPU.
#include "tests/kernels/matmul_lines.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const Place stream = static_cast<CUstream_st*>(nullptr);

TEST_CASE("every line of the matmul table, on random tasks") {
  unsigned seed = 0;
  for (const MatmulLine& line : matmul_lines()) {
    std::mt19937 random(++seed);
    for (int task = 0; task < 12; ++task) {
      check_task(line, random_task(random, 900, 700), ++seed, stream);
    }
  }
}

TEST_CASE("every line of the matmul table, with k tiles around its stages") {
  unsigned seed = 1000;
  for (const MatmulLine& line : matmul_lines()) {
    for (const int k_tiles : {1, line.stages - 1, line.stages, line.stages + 1}) {
      check_task(line, {.m = 9, .n = 24, .k = k_tiles * line.block_k - 3}, ++seed, stream);
    }
  }
}

TEST_CASE("every line of the matmul table, cut along K for more tiles than multiprocessors") {
  unsigned seed = 2000;
  // Of each line one way in order and one in any: with all four the references take minutes.
  bool any_order = false;
  for (const MatmulLine& line : matmul_lines()) {
    for (const int splits : {3, stream_k}) {
      check_task(line,
                 {.m = 1800,
                  .n = 1608,
                  .k = 200,
                  .splits = splits,
                  .any_order = any_order,
                  .raster = splits == stream_k ? hilbert_raster : 0,
                  .max_ctas = 50},
                 ++seed, stream);
      any_order = !any_order;
    }
    any_order = !any_order;
  }
}

TEST_CASE("every line of the matmul table gives the same bits a thousand times") {
  unsigned seed = 3000;
  for (const MatmulLine& line : matmul_lines()) {
    const TaskShape shape =
        storable(line, {.m = 400, .n = 160, .k = 700, .splits = 4, .raster = 2});
    INFO(name_of(line) << ": " << to_string(shape));
    TaskCase problem(line, shape, ++seed);
    problem.run(stream);
    REQUIRE(problem.error().empty());
    const std::vector<std::uint16_t> first = problem.output();
    for (int run = 0; run < 1000; ++run) {
      problem.launch(stream);
    }
    REQUIRE(problem.output() == first);
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
