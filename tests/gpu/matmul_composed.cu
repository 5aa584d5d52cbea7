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

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
