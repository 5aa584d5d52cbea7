// expect: FitsSharedMemory<263168, 232448>
//
// The message has the needed and the available bytes.
#include "matmul/warp_specialized.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr WarpSpecializedConfig config{.stages = 7, .block_k = 64};
#else
inline constexpr WarpSpecializedConfig config{.stages = 8, .block_k = 64};
#endif

static_assert(WarpSpecializedMatmul<config>::Roles::threads == 160);

}  // namespace warpline::inline WARPLINE_TARGET
