// expect: a ring of at least two
//
// The next stage would be waited for while the only one is held.
#include <cuda_fp16.h>

#include "warpline/deferred_release.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Stage {
  SharedTile<__half, 64, 64> a;
  SharedTile<__half, 32, 64> b;
};
using Roles = RoleList<Consumer, Producer>;

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int stages = 2;
#else
inline constexpr int stages = 1;
#endif

using Ring = Pipeline<Stage, PipelineConfig{.stages = stages}, FilledByCopies<Producer>,
                      ReadByTensorCores<Consumer>>;

WARPLINE_DEVICE void consume(Ring& ring, const ThreadGroup<Roles, Consumer>& group) {
  auto end = ring.consumer(group);
  DeferredRelease deferred(end);
}

}  // namespace warpline::inline WARPLINE_TARGET
