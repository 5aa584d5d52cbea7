// What a matmul refuses, and in which words; and the sizes at which there is nothing to multiply.
#include <functional>

#include "matmul/catalog.h"
#include "matmul/warp_specialized_plan.h"
#include "tests/kernels/matmul_case.h"
#include "tests/support/catch.h"
#include "warpline/error.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const MatmulShape shape{.m = 40, .n = 24, .k = 32};

/// The text of the Error for a problem changed by `change`.
std::string refusal_of(const std::function<void(MatmulProblem&)>& change,
                       const MatmulKernel& kernel = matmul_kernels().front()) {
  const MatmulCase operands(shape, MatmulCase::Values::integers, 1);
  MatmulProblem problem = operands.problem();
  change(problem);
  try {
    const MatmulPlan plan(kernel, problem);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

const void* moved(const void* address, int bytes) {
  return static_cast<const unsigned char*>(address) + bytes;
}

using Catch::Matchers::ContainsSubstring;

TEST_CASE("extents out of range") {
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.m = -1; }),
             ContainsSubstring("M is -1; 0 to 2^31 - 1"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.n = -8; }),
             ContainsSubstring("N is -8; 0 to 2^31 - 1"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.k = -3; }),
             ContainsSubstring("K is -3; 0 to 2^31 - 1"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.m = std::int64_t{1} << 31; }),
             ContainsSubstring("M is 2147483648"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.n = p.c_stride = std::int64_t{70000} * 128; }),
             ContainsSubstring("N is 8960000") && ContainsSubstring("65535"));
}

TEST_CASE("a raster for kernels that have none, or none at all") {
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.raster = 4; }),
             ContainsSubstring("raster is 4; warp_specialized has one order of tiles: it takes 0"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.raster = -1; }),
             ContainsSubstring("raster is -1; warp_specialized"));
}

TEST_CASE("strides below the row") {
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.a_stride = 24; }),
             ContainsSubstring("A: its row stride is 24 elements, less than its 32 columns"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.b_stride = 0; }),
             ContainsSubstring("B: its row stride is 0 elements, less than its 32 columns"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.c_stride = 23; }),
             ContainsSubstring("C: its row stride is 23 elements, less than its 24 columns"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.a_stride = -64; }),
             ContainsSubstring("A: its row stride is -64 elements"));
}

TEST_CASE("strides that the copy engine cannot take") {
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.a_stride = 65; }),
             ContainsSubstring("A: the stride of dimension 1 is 130 bytes (65 elements)") &&
                 ContainsSubstring("a multiple of 16 bytes"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.b_stride = 511; }),
             ContainsSubstring("B: the stride of dimension 1 is 1022 bytes (511 elements)"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) {
               p.k = 25;
               p.a_stride = 25;
             }),
             ContainsSubstring("A: the stride of dimension 1 is 50 bytes (25 elements)"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) {
               p.m = 1;
               p.a_stride = 511;
             }),
             ContainsSubstring("A: the stride of dimension 1 is 1022 bytes (511 elements)"));
}

TEST_CASE("addresses that are null or misaligned") {
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.a = nullptr; }),
             ContainsSubstring("A: its address is null"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.b = nullptr; }),
             ContainsSubstring("B: its address is null"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.c = nullptr; }),
             ContainsSubstring("C: its address is null"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.a = moved(p.a, 2); }),
             ContainsSubstring("A: its address is 2 bytes past a multiple of 16") &&
                 ContainsSubstring("needs 16-byte alignment"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.b = moved(p.b, 8); }),
             ContainsSubstring("B: its address is 8 bytes past a multiple of 16"));
  CHECK_THAT(refusal_of([](MatmulProblem& p) { p.c = const_cast<void*>(moved(p.c, 1)); }),
             ContainsSubstring("C: its address is odd"));
}

TEST_CASE("sizes that a kernel was not compiled for") {
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (kernel.static_n == 0) {
      continue;
    }
    CHECK_THAT(
        refusal_of([&](MatmulProblem& p) { p.k = p.a_stride = p.b_stride = kernel.static_k; },
                   kernel),
        ContainsSubstring("was compiled for N = " + std::to_string(kernel.static_n) + ", not 24"));
    CHECK_THAT(
        refusal_of([&](MatmulProblem& p) { p.n = p.c_stride = kernel.static_n; }, kernel),
        ContainsSubstring("was compiled for K = " + std::to_string(kernel.static_k) + ", not 32"));
  }
}

TEST_CASE("outputs that the copy engine cannot store") {
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (!stores_by_copy_engine(kernel)) {
      continue;
    }
    CHECK_THAT(refusal_of([](MatmulProblem& p) { p.n = 23; }, kernel),
               ContainsSubstring("C: its rows are 46 bytes long"));
    CHECK_THAT(refusal_of([](MatmulProblem& p) { p.c_stride = 25; }, kernel),
               ContainsSubstring("C: the stride of dimension 1 is 50 bytes (25 elements)"));
    CHECK_THAT(refusal_of([](MatmulProblem& p) { p.c = const_cast<void*>(moved(p.c, 2)); }, kernel),
               ContainsSubstring("C: its address is 2 bytes past a multiple of 16"));
  }
}

TEST_CASE("K = 0 writes zeros, and nothing beside them") {
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (kernel.static_k != 0) {
      continue;
    }
    const MatmulCase operands({.m = 13, .n = 21, .k = 0, .c_padding = 4},
                              MatmulCase::Values::integers, 1);
    MatmulProblem problem = operands.problem();
    problem.a = problem.b = nullptr;  // there is nothing to read
    MatmulPlan(kernel, problem).run();
    CHECK(operands.exact_error().empty());
  }
}

TEST_CASE("M = 0 or N = 0 does nothing, whatever the addresses") {
  for (const MatmulKernel& kernel : matmul_kernels()) {
    CHECK_NOTHROW(MatmulPlan(kernel, {.m = 0, .n = 16, .k = 16}).run());
    CHECK_NOTHROW(MatmulPlan(kernel, {.m = 16, .n = 0, .k = 16}).run());
    CHECK_NOTHROW(MatmulPlan(kernel, {}).run());
  }
}

TEST_CASE("a plan runs again, on new data") {
  MatmulCase operands(shape, MatmulCase::Values::integers, 7);
  const MatmulPlan plan(matmul_kernels().front(), operands.problem());
  for (int i = 0; i < 3; ++i) {
    operands.poison_output();
    REQUIRE(!operands.exact_error().empty());
    plan.run();
    REQUIRE(operands.exact_error().empty());
  }
}

TEST_CASE("the catalog has every configuration that fits, and says why others do not") {
  int found = 0;
  for (const int block_n : {64, 128}) {
    for (const int block_k : {16, 32, 64}) {
      for (int stages = 2; stages <= 7; ++stages) {
        const WarpSpecializedConfig config{
            .stages = stages, .block_n = block_n, .block_k = block_k};
        CHECK(refusal(config).empty());
        CHECK(plan_warp_specialized(config).fits());
        for (const MatmulKernel& kernel : matmul_kernels()) {
          found += std::string(kernel.name) == "warp_specialized" && kernel.stages == stages &&
                           kernel.block_m == 128 && kernel.block_n == block_n &&
                           kernel.block_k == block_k
                       ? 1
                       : 0;
        }
      }
    }
  }
  CHECK(found == 36);

  CHECK_THAT(refusal({.block_n = 256}), ContainsSubstring("256 accumulator registers") &&
                                            ContainsSubstring("available are 224"));
  CHECK_THAT(refusal({.block_m = 256}), ContainsSubstring("256 accumulator registers"));
  CHECK_THAT(refusal({.block_m = 256, .block_n = 256}),
             ContainsSubstring("512 accumulator registers"));
  CHECK_THAT(refusal({.stages = 8}), ContainsSubstring("8 stages need 263168 bytes") &&
                                         ContainsSubstring("available are 232448"));
}

TEST_CASE("a kernel's description has its numbers") {
  for (const MatmulKernel& kernel : matmul_kernels()) {
    const std::string text = kernel.describe();
    const int bytes = (kernel.block_m + kernel.block_n) * kernel.block_k * 2;
    CHECK_THAT(text, ContainsSubstring("pipeline of " + std::to_string(kernel.stages) + " stages"));
    CHECK_THAT(text, ContainsSubstring("1 arrival and " + std::to_string(bytes) + " bytes"));
    CHECK_THAT(text, ContainsSubstring("consumer"));
    CHECK_THAT(text, ContainsSubstring("producer"));
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
