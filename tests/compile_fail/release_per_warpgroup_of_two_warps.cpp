// expect: Release::per_warpgroup needs roles of whole warpgroups
//
#include <cuda_fp16.h>

#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int warps = 4;
#else
inline constexpr int warps = 2;
#endif

struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = warps};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Stage {
  SharedTile<__half, 64, 64> a;
};
using Ring = Pipeline<Stage, PipelineConfig{.stages = 2, .release = Release::per_warpgroup},
                      FilledByCopies<Producer>, ReadByThreads<Reader>>;
static_assert(Ring::arrival_count(1) == 1);

}  // namespace warpline::inline WARPLINE_TARGET
