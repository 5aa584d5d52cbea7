// Kernels that end in an epilogue of steps, on the simulator.
#include <array>
#include <stdexcept>

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
  const std::vector<MatmulLine> lines = lines_with_steps();
  REQUIRE(lines.back().streams_b);
  for (const MatmulLine& line : {lines.front(), lines.back()}) {
    for (const EpilogueStep::Kind kind : every_step()) {
      for (const ElementType type : {ElementType::fp16, ElementType::bf16, ElementType::fp32}) {
        ++seed;
        check_steps(line,
                    {.m = 77,
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
}

TEST_CASE("an epilogue's steps: activations far from zero") {
  using Kind = EpilogueStep::Kind;
  unsigned seed = 50;
  const MatmulLine line = lines_with_steps().front();
  for (const Kind kind : {Kind::gelu, Kind::gelu_tanh, Kind::silu}) {
    for (const float alpha : {4.0f, 64.0f, 1e4f}) {
      check_steps(
          line,
          {.m = 40, .n = 43, .k = 48, .alpha = alpha, .d_type = ElementType::fp32, .steps = {kind}},
          ++seed, simulator::Options{.seed = seed});
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

MatmulLine line_that_fills_by_threads() {
  for (const MatmulLine& line : matmul_lines()) {
    if (line.fill == Fill::threads) {
      return line;
    }
  }
  throw std::logic_error("no line fills by threads");
}

TEST_CASE("filling by threads: leading dimensions and addresses that the copy engine refuses") {
  const MatmulLine line = line_that_fills_by_threads();
  unsigned seed = 300;
  for (const Placement::Way a : {Placement::Way::rows, Placement::Way::columns}) {
    for (const Placement::Way b : {Placement::Way::rows, Placement::Way::columns}) {
      for (const std::int64_t leading : {25, 65, 511}) {
        ++seed;
        const StepsShape shape{.m = std::min<std::int64_t>(leading, 150),
                               .n = std::min<std::int64_t>(leading, 140),
                               .k = std::min<std::int64_t>(leading, 230),
                               .batch = leading == 65 ? 2 : 1,
                               .splits = leading == 511 ? 2 : 1};
        StepsShape placed = shape;
        placed.a = {.way = a,
                    .pad = leading - (a == Placement::Way::rows ? shape.k : shape.m),
                    .offset = seed % 8};
        placed.b = {.way = b,
                    .pad = leading - (b == Placement::Way::rows ? shape.k : shape.n),
                    .offset = seed / 3 % 8};
        check_steps(line, placed, seed, simulator::Options{.seed = seed});
      }
    }
  }
}

TEST_CASE("filling by threads: every schedule") {
  const MatmulLine line = line_that_fills_by_threads();
  const int seeds = 200 / 3;
  with_schedules(every_policy, seeds, [&](const simulator::Options& options) {
    check_steps(line,
                {.m = 130, .n = 20, .k = 131, .a = {.pad = 3, .offset = 1}, .b = {.offset = 5}},
                static_cast<unsigned>(options.seed), options);
  });
}

TEST_CASE("filling by threads: one row, one column, one k, and strides that are never used") {
  const MatmulLine line = line_that_fills_by_threads();
  unsigned seed = 400;
  for (const Placement::Way way :
       {Placement::Way::rows, Placement::Way::columns, Placement::Way::scattered}) {
    for (const auto& [m, n, k] : {std::array{1, 30, 70}, std::array{30, 1, 70},
                                  std::array{30, 70, 1}, std::array{1, 1, 1}}) {
      ++seed;
      check_steps(line,
                  {.m = m,
                   .n = n,
                   .k = k,
                   .a = {.way = way, .pad = 2, .offset = 1},
                   .b = {.way = way, .pad = 5}},
                  seed, simulator::Options{.seed = seed});
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
