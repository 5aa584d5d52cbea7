// Reductions on the GPU.
#include "tests/kernels/reduce_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};
constexpr ReduceKind kinds[] = {ReduceKind::sum, ReduceKind::minimum, ReduceKind::maximum,
                                ReduceKind::norm};

TEST_CASE("reduce on the GPU: every kind and type, one segment and many") {
  unsigned seed = 0;
  for (const ReduceKind kind : kinds) {
    for (const std::int64_t columns : {0, 1, 5, 8, 1000, 4096, 8193, 30000, 5000001}) {
      for (const std::int64_t rows : {1, 3}) {
        ++seed;
        check_reduction(
            {.kind = kind,
             .type = types[seed % 3],
             .out_type = types[seed / 3 % 3],
             .x = {.rows = rows, .columns = columns, .padding = seed % 4 * 3, .offset = seed % 2}},
            Stream{}, seed);
      }
    }
  }
}

TEST_CASE("reduce on the GPU: integers wrap around") {
  unsigned seed = 100;
  for (const std::int64_t count : {1, 3, 4, 4095, 4096, 5000, 100000, 20000003}) {
    for (const std::int64_t offset : {0, 1, 3}) {
      ++seed;
      check_integer_sum(count, offset, Stream{}, seed);
    }
  }
}

TEST_CASE("reduce on the GPU: a tensor beyond 2^31 elements") {
  constexpr std::int64_t count = (std::int64_t{1} << 31) + 5;
  __half* x = nullptr;
  float* out = nullptr;
  if (cudaMalloc(&x, count * 2) != cudaSuccess) {
    cudaGetLastError();
    SKIP("no room for 2^31 numbers");
  }
  isa::check_cuda(cudaMalloc(&out, 4), "a test's cudaMalloc");
  isa::check_cuda(cudaMemset(x, 0, count * 2), "a test's cudaMemset");
  const __half last = __float2half(42);
  isa::check_cuda(cudaMemcpy(x + count - 1, &last, 2, cudaMemcpyHostToDevice), "a test's upload");
  reduce(Place(Stream{}), row_major(out, 1, 1), row_major(static_cast<const __half*>(x), 1, count));
  float sum = 0;
  isa::check_cuda(cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost), "a test's download");
  CHECK(sum == 42.0f);
  cudaFree(x);
  cudaFree(out);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
