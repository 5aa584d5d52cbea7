// Kernels that fill by threads on the GPU.
#include "tests/kernels/matmul_by_threads.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

TEST_CASE("filling by threads: lines of every length, dense and with gaps, at any address") {
  check_all_lines(static_cast<CUstream_st*>(nullptr), true);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
