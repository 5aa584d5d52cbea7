// expect: a Multicast tile's CTAs must be the cluster's extent
//
// The tile goes to two CTAs along x, the cluster has two along y.
#include <cuda_fp16.h>

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
  Multicast<SharedTile<__half, 32, 64>, ClusterAxis::x, 2> b;
};

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr ClusterShape cluster{2, 1};
#else
inline constexpr ClusterShape cluster{1, 2};
#endif

using Ring = Pipeline<Stage, PipelineConfig{.stages = 2, .cluster = cluster},
                      FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
static_assert(Ring::peers == 2);

}  // namespace warpline::inline WARPLINE_TARGET
