// Every kernel behind warpline::matmul on the simulator.
#include <cstddef>
#include <iterator>

#include "tests/kernels/matmul_lines.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("every line of the matmul table, on random tasks and every policy") {
  unsigned seed = 0;
  for (const MatmulLine& line : matmul_lines()) {
    std::mt19937 random(++seed);
    for (const simulator::Policy policy : every_policy) {
      ++seed;
      check_task(line, random_task(random, 250, 250), seed,
                 simulator::Options{.seed = seed, .policy = policy});
    }
  }
}

TEST_CASE("every line of the matmul table, with k tiles around its stages") {
  unsigned seed = 1000;
  for (const MatmulLine& line : matmul_lines()) {
    for (const int k_tiles : {1, line.stages, line.stages + 1}) {
      ++seed;
      check_task(line, {.m = 9, .n = 24, .k = k_tiles * line.block_k - 3}, seed,
                 simulator::Options{.seed = seed});
    }
  }
}

TEST_CASE("cut tiles: right whatever the schedule and however few clusters are resident") {
  int cut = 0;
  int lines = 0;
  for (const MatmulLine& line : matmul_lines()) {
    if (line.type != ElementType::fp16 || line.a != Contiguous::k || line.b != Contiguous::k ||
        !line.takes_splits()) {
      continue;
    }
    ++lines;
    unsigned seed = 2000;
    struct Way {
      int splits;
      int resident;
      bool any_order = false;
    };
    constexpr Way ways[] = {{2, 1},        {2, 4},       {stream_k, 1}, {3, 2},
                            {stream_k, 4}, {4, 1, true}, {3, 4, true},  {stream_k, 4, true}};
    // A line takes two of the ways, the next line two others: all of both take a minute.
    for (std::size_t way = static_cast<std::size_t>(lines % 4); way < std::size(ways); way += 4) {
      const auto& [splits, resident, any_order] = ways[way];
      ++seed;
      // Five tiles of a cluster: a whole round of four CTAs, if that is what fits, and a rest.
      const TaskShape shape = storable(line, {.m = 5 * line.block_m * line.cluster_m - 3,
                                              .n = line.block_n * line.cluster_n,
                                              .k = 5 * line.block_k - 3,
                                              .splits = splits,
                                              .any_order = any_order,
                                              .raster = splits == 2 ? hilbert_raster : 2});
      INFO(name_of(line) << ": " << to_string(shape) << ", " << resident << " resident");
      TaskCase problem(line, shape, seed);
      cut += problem.cuts_k() ? 1 : 0;
      // Twice: the workspace must be left as it was found.
      for (int run = 0; run < (problem.cuts_k() ? 2 : 1); ++run) {
        problem.run(simulator::Options{.seed = seed, .resident_clusters = resident});
        REQUIRE(problem.error().empty());
        REQUIRE(problem.workspace_is_clean());
      }
    }
  }
  CHECK(cut > 20);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
