// Kernels that end in an epilogue of steps, on the simulator.
#include "tests/kernels/matmul_steps.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

std::vector<MatmulLine> lines_with_steps() {
  std::vector<MatmulLine> result;
  for (const MatmulLine& line : matmul_lines()) {
    if (line.leave == Leave::threads) {
      result.push_back(line);
    }
  }
  return result;
}

TEST_CASE("an epilogue's steps: each alone, with operands of every type") {
  unsigned seed = 0;
  const MatmulLine line = lines_with_steps().front();
  for (const EpilogueStep::Kind kind : every_step()) {
    for (const ElementType type : {ElementType::fp16, ElementType::bf16, ElementType::fp32}) {
      ++seed;
      check_steps(line,
                  {.m = 70,
                   .n = 83,
                   .k = 24,
                   .batch = 2,
                   .d_type = ElementType::fp32,
                   .operand_type = type,
                   .steps = {kind}},
                  seed, simulator::Options{.seed = seed});
    }
  }
}

TEST_CASE("an epilogue's steps: D of every type, layout and address") {
  unsigned seed = 100;
  for (const MatmulLine& line : lines_with_steps()) {
    for (const ElementType type : {ElementType::fp16, ElementType::bf16, ElementType::fp32}) {
      for (const Placement::Way way :
           {Placement::Way::rows, Placement::Way::columns, Placement::Way::scattered}) {
        ++seed;
        check_steps(line,
                    {.m = 130,
                     .n = 133,
                     .k = 8,
                     .d_type = type,
                     .d = {.way = way,
                           .pad = static_cast<std::int64_t>(seed % 5),
                           .offset = static_cast<std::int64_t>(seed % 7)}},
                    seed, simulator::Options{.seed = seed});
      }
    }
  }
}

TEST_CASE("an epilogue's steps: random problems on every line and policy") {
  unsigned seed = 200;
  for (const MatmulLine& line : lines_with_steps()) {
    std::mt19937 random(++seed);
    for (const simulator::Policy policy : every_policy) {
      ++seed;
      check_steps(line, random_steps(random, 200), seed,
                  simulator::Options{.seed = seed, .policy = policy});
    }
  }
}

TEST_CASE("an epilogue's steps: NaN stays what it is, and shows in amax") {
  using Kind = EpilogueStep::Kind;
  const MatmulLine line = lines_with_steps().front();
  for (const Kind kind : {Kind::relu, Kind::clamp, Kind::gelu, Kind::gelu_tanh, Kind::silu}) {
    StepsCase problem(line,
                      {.m = 9,
                       .n = 17,
                       .k = 8,
                       .alpha = std::numeric_limits<float>::quiet_NaN(),
                       .d_type = ElementType::fp32,
                       .steps = {kind, Kind::amax}},
                      1);
    problem.run(simulator::Options{});
    for (std::int64_t m = 0; m < 9; ++m) {
      for (std::int64_t n = 0; n < 17; ++n) {
        REQUIRE(std::isnan(problem.found(m, n)));
      }
    }
    REQUIRE(std::isnan(problem.amax_found(1)));
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
