// expect: FitsAccumulators<512, 224>
//
// One warpgroup has no room for the sums: the message has the needed and the available registers.
#include "matmul/warp_specialized.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr WarpSpecializedConfig config{.stages = 2, .block_m = 128, .block_n = 128};
#else
inline constexpr WarpSpecializedConfig config{.stages = 2, .block_m = 256, .block_n = 256};
#endif

static_assert(WarpSpecializedMatmul<config>::Roles::threads == 160);

}  // namespace warpline::inline WARPLINE_TARGET
