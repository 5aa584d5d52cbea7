// Kernels that end in an epilogue of steps, and those that fill by threads, on the GPU.
#include "tests/kernels/matmul_steps.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const Place stream = static_cast<CUstream_st*>(nullptr);

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
  for (const MatmulLine& line : lines_with_steps()) {
    for (const EpilogueStep::Kind kind : every_step()) {
      for (const ElementType type : {ElementType::fp16, ElementType::bf16, ElementType::fp32}) {
        check_steps(line,
                    {.m = 70,
                     .n = 139,
                     .k = 24,
                     .batch = 2,
                     .d_type = ElementType::fp32,
                     .operand_type = type,
                     .steps = {kind}},
                    ++seed, stream);
      }
    }
  }
}

TEST_CASE("an epilogue's steps: activations far from zero") {
  using Kind = EpilogueStep::Kind;
  unsigned seed = 500;
  const MatmulLine line = lines_with_steps().front();
  for (const Kind kind : {Kind::gelu, Kind::gelu_tanh, Kind::silu}) {
    for (const float alpha : {1.0f, 4.0f, 64.0f, 1e4f}) {
      check_steps(line,
                  {.m = 300,
                   .n = 301,
                   .k = 48,
                   .alpha = alpha,
                   .d_type = ElementType::fp32,
                   .steps = {kind}},
                  ++seed, stream);
    }
  }
}

TEST_CASE("an epilogue's steps: random problems on every line") {
  unsigned seed = 1000;
  for (const MatmulLine& line : lines_with_steps()) {
    std::mt19937 random(++seed);
    for (int problem = 0; problem < 40; ++problem) {
      check_steps(line, random_steps(random, 300), ++seed, stream);
    }
  }
}

TEST_CASE("filling by threads: long rows at every address") {
  unsigned seed = 2000;
  for (const MatmulLine& line : lines_with_steps()) {
    if (line.fill != Fill::threads) {
      continue;
    }
    for (const Placement::Way way : {Placement::Way::rows, Placement::Way::columns}) {
      for (std::int64_t offset = 0; offset < 8; ++offset) {
        check_steps(line,
                    {.m = 263,
                     .n = 255,
                     .k = 1021,
                     .splits = offset == 3 ? 3 : 1,
                     .a = {.way = way, .pad = offset / 2, .offset = offset},
                     .b = {.way = way, .pad = 2, .offset = 7 - offset}},
                    ++seed, stream);
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
