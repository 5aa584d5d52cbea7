// v3: warp specialisation: the library's own kernel, kernels/matmul/warp_specialized.h. One warp
// only loads, four only multiply, and each multiply is waited for before its stage is freed.
#pragma once

#include "matmul/warp_specialized_entry.h"
#include "samples/ladder/host.h"

namespace ladder::inline WARPLINE_TARGET {

constexpr WarpSpecializedConfig v3_config(const LadderConfig& config) {
  return {.stages = config.stages,
          .block_m = config.block_m,
          .block_n = config.block_n,
          .block_k = config.block_k,
          .loop = LoopForm::range};
}

template <LadderConfig Config>
using V3 = WarpSpecializedMatmul<v3_config(Config)>;

template <class Kernel, LadderConfig Config>
struct VersionHost<Kernel, 3, Config> : WarpSpecializedHost<v3_config(Config)> {
  static_assert(FollowsPlan<Kernel, 3, Config>::value);
};

}  // namespace ladder::inline WARPLINE_TARGET
