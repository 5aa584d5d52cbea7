// expect: this role is in no phase of the pipeline
//
// An end without a phase would have nothing to wait for.
#include <cuda_fp16.h>

#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Outsider {
  static constexpr RoleConfig config{.name = "outsider", .warps = 1};
};
struct Stage {
  SharedTile<__half, 64, 64> a;
  SharedTile<__half, 32, 64> b;
};
using Roles = RoleList<Consumer, Producer, Outsider>;
using ForConsumer = ThreadGroup<Roles, Consumer>;
using ForProducer = ThreadGroup<Roles, Producer>;
using Ring = Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Producer>,
                      ReadByTensorCores<Consumer>>;

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Group = ThreadGroup<Roles, Producer>;
#else
using Group = ThreadGroup<Roles, Outsider>;
#endif

WARPLINE_DEVICE void produce(Ring& ring, const Group& group) { auto end = ring.producer(group); }

}  // namespace warpline::inline WARPLINE_TARGET
