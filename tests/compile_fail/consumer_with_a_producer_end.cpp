// expect: this role does not fill the pipeline
//
// The end that a role gets follows from its phase.
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
  SharedTile<__half, 32, 64> b;
};
using Roles = RoleList<Consumer, Producer>;
using ForConsumer = ThreadGroup<Roles, Consumer>;
using ForProducer = ThreadGroup<Roles, Producer>;
using Ring = Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Producer>,
                      ReadByTensorCores<Consumer>>;

WARPLINE_DEVICE void consume(Ring& ring, const ForConsumer& group) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  auto end = ring.consumer(group);
#else
  auto end = ring.producer(group);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
