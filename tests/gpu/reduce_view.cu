// Reductions along any dimension, and argmax, on the GPU.
#include "tests/kernels/reduce_view_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32,
                                 ElementType::int32};
constexpr ReduceKind kinds[] = {ReduceKind::sum, ReduceKind::minimum, ReduceKind::maximum,
                                ReduceKind::norm};

const ViewShape shapes[] = {
    ViewShape::contiguous(1, 6000, 512),
    ViewShape::contiguous(1, 40000, 64),
    ViewShape::contiguous(30, 300, 200),
    ViewShape::contiguous(1, 900001, 3),
    ViewShape::contiguous(2, 700, 1032),
    {2, 150, 264, 40000, 266, 1, 1},
    {1, 80000, 16, 0, 24, 1, 8},
    {1, 3000, 1500, 0, 1503, 1, 1},
    {1, 3000, 1600, 0, 1600, 1},
    {3, 11000, 5, 90000, 1, 15000, 1},
    {700, 33, 3, 120, 1, 40, 2},
    {5, 40, 7, 700, 2, 90, 3},
    {1, 900000, 1, 0, 3, 0},
    {2, 1, 300, 300, 300, 1},
    {2, 500, 64, 64, 0, 1},
};

TEST_CASE("reduce on the GPU: along any dimension, every kind and type") {
  unsigned seed = 0;
  for (const ViewShape& shape : shapes) {
    for (int run = 0; run < 4; ++run) {
      ++seed;
      const ElementType type = types[(seed + seed / 4) % 4];
      const ReduceKind kind =
          type == ElementType::int32 ? kinds[seed % 3] : kinds[(seed / 2 + seed) % 4];
      check_view(kind, type, types[seed / 2 % 3], shape, Stream{}, seed);
    }
  }
}

TEST_CASE("argmax on the GPU: along any dimension, ties, NaN and -inf") {
  unsigned seed = 100;
  for (const ViewShape& shape : shapes) {
    for (int run = 0; run < 2; ++run) {
      ++seed;
      check_argmax(types[seed % 4], shape, Stream{}, seed);
    }
  }
  for (const std::int64_t columns : {1, 8, 8191, 20001, 3000001}) {
    ++seed;
    check_argmax(types[seed % 4], {1, columns, 1, 0, 1, 0, seed % 3}, Stream{}, seed);
  }
}

TEST_CASE("argmax on the GPU: a place beyond 2^31") {
  constexpr std::int64_t count = (std::int64_t{1} << 31) + 5;
  __half* x = nullptr;
  std::int64_t* out = nullptr;
  if (cudaMalloc(&x, count * 2) != cudaSuccess) {
    cudaGetLastError();
    SKIP("no room for 2^31 numbers");
  }
  isa::check_cuda(cudaMalloc(&out, 8), "a test's cudaMalloc");
  isa::check_cuda(cudaMemset(x, 0, count * 2), "a test's cudaMemset");
  const __half last = __float2half(42);
  isa::check_cuda(cudaMemcpy(x + count - 2, &last, 2, cudaMemcpyHostToDevice), "a test's upload");
  argmax(Place(Stream{}), out, row_major(static_cast<const __half*>(x), 1, count));
  std::int64_t place = 0;
  isa::check_cuda(cudaMemcpy(&place, out, 8, cudaMemcpyDeviceToHost), "a test's download");
  CHECK(place == count - 2);
  cudaFree(x);
  cudaFree(out);
}

TEST_CASE("reduce on the GPU: columns again and again") {
  on_every_schedule(1, [](const Stream& stream) {
    check_view(ReduceKind::sum, ElementType::bf16, ElementType::fp32,
               ViewShape::contiguous(1, 3000, 256), stream, 1);
    check_argmax(ElementType::fp32, {1, 3000, 100, 0, 101, 1, 1}, stream, 2);
  });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
