// expect: must be the accumulator.s columns
//
#include <cuda_fp16.h>

#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

using A = SharedTile<__half, 64, 64>;
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int columns = 32;
using B = SharedTile<__half, 32, 64>;
#else
inline constexpr int columns = 64;
using B = SharedTile<__half, 32, 64>;
#endif

WARPLINE_DEVICE void multiply(Accumulator<64, columns>& sums, const A& a, const B& b) {
  mma(sums, a, b).wait();
}

}  // namespace warpline::inline WARPLINE_TARGET
