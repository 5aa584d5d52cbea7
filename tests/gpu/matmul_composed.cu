// Matmuls with epilogues fixed at compile time, on the GPU.
#include "tests/kernels/matmul_composed.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

const Place stream = static_cast<CUstream_st*>(nullptr);

TEST_CASE("an epilogue of one's own: bias, and ten lines of the test") {
  unsigned seed = 0;
  for (const std::int64_t m : {1, 137, 600}) {
    for (const std::int64_t n : {1, 64, 139, 530}) {
      check_composed(stream, m, n, 90, ++seed);
    }
  }
}

TEST_CASE("gated pairs: SwiGLU of two column blocks") {
  unsigned seed = 100;
  for (const std::int64_t m : {1, 137, 600}) {
    for (const std::int64_t n : {8, 64, 136, 512}) {
      check_gated<small_tiles>(stream, m, n, 300, ++seed);
      check_gated<small_tiles_along_n>(stream, m, n, 40, ++seed);
      check_gated<gated_config>(stream, m, n, 333, ++seed);
    }
  }
}

TEST_CASE("epilogues of one's own: operands in host memory") {
  const ComposedCase problem(40, 24, 32, 1, Placement::Way::columns, 1);
  std::vector<__half> host(40 * 32);
  PlacedMatrix d(ElementType::fp32, 40, 24, 1, {});
  PlacedMatrix gated(ElementType::fp16, 40, 12, 1, {});
  d.upload();
  gated.upload();
  const Matrix a = row_major(static_cast<const __half*>(host.data()), 40, 32);
  const auto words = Catch::Matchers::ContainsSubstring("A: its address is in host memory");
  CHECK_THROWS_WITH((matmul_with<__half, ElementType::fp32, small_tiles>(
                        stream, ComposedCase::view(d), a, problem.b(), Relu{})),
                    words);
  CHECK_THROWS_WITH((gated_matmul_with<__half, ElementType::fp16, small_tiles>(
                        stream, ComposedCase::view(gated), a, problem.b(), SwiGlu{})),
                    words);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
