// expect: no matching function for call to .*load
//
// A map is made for the tile type that it fills: box and swizzle follow from it.
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

WARPLINE_DEVICE void produce(Ring& ring, const ForProducer& group,
                             const TensorMap<SharedTile<__half, 64, 64>>& a) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  auto end = ring.producer(group);
  for (auto slot : end.fill(3)) {
    slot.load(slot->a, a, {0, 0});
  }
#else
  auto end = ring.producer(group);
  for (auto slot : end.fill(3)) {
    slot.load(slot->b, a, {0, 0});
  }
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
