// expect: has no member named .release
//
// The copy engine's bytes end the phase, not the thread that issued the copies.
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

WARPLINE_DEVICE void produce(Ring& ring, const ForProducer& group) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  auto end = ring.producer(group);
  for (auto slot : end.fill(3)) {
    slot.skip();
  }
#else
  auto end = ring.producer(group);
  for (auto slot : end.fill(3)) {
    slot.release();
  }
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
