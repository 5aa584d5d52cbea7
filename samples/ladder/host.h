// The host side of the versions, and a version in one configuration as a line of the catalog. v3 is
// the library's own kernel and has a host side of its own (v3.h).
#pragma once

#include "matmul/entry.h"
#include "samples/ladder/plan.h"
#include "samples/ladder/problem.h"

namespace ladder::inline WARPLINE_TARGET {

/// Of any kernel that takes `Operands`.
template <class K, LadderConfig Config>
struct LadderHost {
  using Kernel = K;
  static constexpr int stages = Config.stages;
  static constexpr int block_m = Config.block_m;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;
  static constexpr int static_n = 0;
  static constexpr int static_k = 0;

  static Operands<Config> arguments(const MatmulProblem& p) {
    const int m_tiles = tiles_of(p.m, block_m);
    const int n_tiles = tiles_of(p.n, block_n);
    if (int64_t{m_tiles} * n_tiles > 0x7fffffff) {
      throw Error("M = " + std::to_string(p.m) + ", N = " + std::to_string(p.n) +
                  ": a grid has at most 2^31 - 1 tiles");
    }
    return {make_tensor_map<typename Operands<Config>::ATile>(
                matmul_operand(p.a, p.m, p.k, p.a_stride), "A"),
            make_tensor_map<typename Operands<Config>::BTile>(
                matmul_operand(p.b, p.n, p.k, p.b_stride), "B"),
            {static_cast<__half*>(p.c), p.m, p.n, p.c_stride},
            tiles_of(p.k, block_k),
            {m_tiles, n_tiles, p.raster == 0 || p.raster > m_tiles ? m_tiles : p.raster}};
  }

  static isa::Index3 grid(const Operands<Config>& operands, const MatmulProblem&) {
    return {static_cast<uint32_t>(operands.order.count()), 1, 1};
  }
};

/// Ties a kernel to the plan that let it through: who changes the one has to change the other.
template <class Kernel, int Version, LadderConfig Config>
struct FollowsPlan {
  static_assert(survives(Version, Config), "the plan of this version refuses this configuration");
  static_assert(sizeof(typename Kernel::SharedMemory) == plan(Version, Config).shared_bytes,
                "the plan's shared memory is not the kernel's: adapt plan() in "
                "samples/ladder/plan.h");
  static_assert(Kernel::Roles::threads == facts[Version].warps * threads_per_warp,
                "the plan's warps are not the kernel's: adapt facts in samples/ladder/plan.h");
  static constexpr bool value = true;
};

/// Of one of the six.
template <class Kernel, int Version, LadderConfig Config>
struct VersionHost : LadderHost<Kernel, Config> {
  static_assert(FollowsPlan<Kernel, Version, Config>::value);
  static constexpr bool takes_raster = facts[Version].rasters;
};

template <template <LadderConfig> class Kernel, int Version, LadderConfig Config>
constexpr MatmulKernel line() {
  return MatmulEntry<VersionHost<Kernel<Config>, Version, Config>>::line(names[Version]);
}

}  // namespace ladder::inline WARPLINE_TARGET
