// Every matmul kernel of the catalog on the GPU: exact on small integers, whatever the shape, again
// and again.
#include "tests/kernels/matmul_case.h"
#include "tests/support/catch.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

void check_exact(const MatmulKernel& kernel, const MatmulShape& shape, unsigned seed, int runs) {
  MatmulCase problem(shape, MatmulCase::Values::integers, seed);
  const MatmulPlan plan(kernel, problem.problem());
  for (int run = 0; run < runs; ++run) {
    INFO(name_of(kernel) << ": " << to_string(shape) << ", run " << run);
    problem.poison_output();
    plan.run();
    synchronize_gpu_matmuls({});
    REQUIRE(problem.exact_error().empty());
  }
}

TEST_CASE("every kernel, on random shapes with tails") {
  unsigned seed = 0;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    std::mt19937 random(++seed);
    for (int shape = 0; shape < 4; ++shape) {
      check_exact(kernel, random_shape(kernel, 700, random), ++seed, 5);
    }
  }
}

TEST_CASE("every kernel, with k tiles around its stages") {
  unsigned seed = 1000;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (kernel.static_k != 0) {
      continue;
    }
    for (const int k_tiles : {1, kernel.stages - 1, kernel.stages, kernel.stages + 1}) {
      check_exact(kernel, {.m = 300, .n = 136, .k = k_tiles * kernel.block_k}, ++seed, 3);
      check_exact(kernel, {.m = 9, .n = 24, .k = k_tiles * kernel.block_k - 3}, ++seed, 3);
    }
  }
}

TEST_CASE("more tiles than multiprocessors") {
  unsigned seed = 2000;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    if (kernel.static_n == 0 && kernel.block_k == 64) {
      check_exact(kernel, {.m = 2000, .n = 2056, .k = 200}, ++seed, 2);
    }
  }
}

TEST_CASE("the same problem a hundred times") {
  for (const MatmulKernel* kernel : {&matmul_kernels().front(), &matmul_kernels().back()}) {
    const MatmulShape shape{.m = 500, .n = 360, .k = 190};
    MatmulCase problem(shape, MatmulCase::Values::integers, 3000);
    const MatmulPlan plan(*kernel, problem.problem());
    on_every_schedule(0, [&](const Stream& stream) {
      INFO(name_of(*kernel) << ": " << to_string(shape));
      problem.poison_output();
      plan.run({.stream = stream});
      synchronize(stream);
      REQUIRE(problem.exact_error().empty());
    });
  }
}

TEST_CASE("random reals: relative error against fp64 sums") {
  unsigned seed = 4000;
  for (const MatmulKernel& kernel : matmul_kernels()) {
    INFO(name_of(kernel));
    MatmulCase problem({.m = 300,
                        .n = kernel.static_n != 0 ? kernel.static_n : 600,
                        .k = kernel.static_k != 0 ? kernel.static_k : 1000},
                       MatmulCase::Values::reals, ++seed);
    MatmulPlan(kernel, problem.problem()).run();
    const double error = problem.relative_error();
    CHECK(error < 1e-3);
    CHECK(error > 1e-6);  // fp16 cannot be better
  }
}

TEST_CASE("a matmul on a stream of its own") {
  cudaStream_t stream;
  isa::check_cuda(cudaStreamCreate(&stream), "a test's cudaStreamCreate");
  MatmulCase problem({.m = 200, .n = 200, .k = 200}, MatmulCase::Values::integers, 1);
  MatmulPlan(matmul_kernels().front(), problem.problem()).run({.stream = stream});
  synchronize_gpu_matmuls({.stream = stream});
  CHECK(problem.exact_error().empty());
  cudaStreamDestroy(stream);
}

template <class Change>
std::string refusal_of(const MatmulKernel& kernel, Change change) {
  const MatmulCase operands({.m = 40, .n = 24, .k = 32}, MatmulCase::Values::integers, 1);
  MatmulProblem problem = operands.problem();
  change(problem);
  try {
    const MatmulPlan plan(kernel, problem);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_CASE("operands in host memory") {
  alignas(16) static __half host[40 * 32];
  for (const MatmulKernel* kernel : {&matmul_kernels().front(), &matmul_kernels().back()}) {
    CHECK_THAT(refusal_of(*kernel, [](MatmulProblem& p) { p.a = host; }),
               ContainsSubstring("A: its address is in host memory"));
    CHECK_THAT(refusal_of(*kernel, [](MatmulProblem& p) { p.b = host; }),
               ContainsSubstring("B: its address is in host memory"));
    CHECK_THAT(refusal_of(*kernel, [](MatmulProblem& p) { p.c = host; }),
               ContainsSubstring("C: its address is in host memory"));
  }
}

TEST_CASE("an earlier CUDA error is not taken for the matmul's own") {
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, std::size_t{1} << 60) != cudaSuccess);
  // MatmulCase allocates and checks its own calls only; the error stays pending through them.
  CHECK_THAT(refusal_of(matmul_kernels().front(), [](MatmulProblem&) {}),
             ContainsSubstring("an earlier CUDA error is pending, nothing was launched"));
  cudaGetLastError();
  CHECK(refusal_of(matmul_kernels().front(), [](MatmulProblem&) {}) == "nothing was refused");
}

TEST_CASE("memory that is managed by CUDA will do") {
  __half* memory = nullptr;
  isa::check_cuda(cudaMallocManaged(&memory, 40 * 32 * sizeof(__half)),
                  "a test's cudaMallocManaged");
  CHECK(refusal_of(matmul_kernels().front(), [&](MatmulProblem& p) { p.a = memory; }) ==
        "nothing was refused");
  cudaFree(memory);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
