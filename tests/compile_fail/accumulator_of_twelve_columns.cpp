// expect: in steps of 8
//
#include <cuda_fp16.h>

#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Sums = Accumulator<64, 16>;
#else
using Sums = Accumulator<64, 12>;
#endif

static_assert(Sums::blocks == 1);

}  // namespace warpline::inline WARPLINE_TARGET
