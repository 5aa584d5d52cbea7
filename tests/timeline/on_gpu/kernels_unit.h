// Included by two units, which set WARPLINE_TRACE and KERNELS before.
#include "matmul/cooperative_entry.h"
#include "samples/ladder/host.h"
#include "samples/ladder/v1.h"
#include "samples/ladder/v2.h"
#include "samples/ladder/v3.h"
#include "samples/ladder/v4.h"
#include "samples/ladder/v5.h"
#include "tests/timeline/on_gpu/kernels.h"

namespace timeline_on_gpu {

std::vector<warpline::MatmulKernel> KERNELS() {
  using ladder::LadderConfig;
  return {ladder::line<ladder::V1, 1, LadderConfig{.stages = 1}>(),
          ladder::line<ladder::V2, 2, LadderConfig{.stages = 2}>(),
          ladder::line<ladder::V3, 3, LadderConfig{.stages = 2}>(),
          ladder::line<ladder::V4, 4, LadderConfig{.stages = 6}>(),
          ladder::line<ladder::V5, 5, LadderConfig{.stages = 4, .block_n = 256}>(),
          warpline::CooperativeEntry<warpline::CooperativeConfig{}>::line("cooperative")};
}

}  // namespace timeline_on_gpu
