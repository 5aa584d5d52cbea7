// expect: use more warpgroups
//
// 128 x 256 sums are 256 registers for each thread of one warpgroup.
#include <cuda_fp16.h>

#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Sums = Accumulator<128, 128>;
#else
using Sums = Accumulator<128, 256>;
#endif

static_assert(Sums::blocks == 2);

}  // namespace warpline::inline WARPLINE_TARGET
