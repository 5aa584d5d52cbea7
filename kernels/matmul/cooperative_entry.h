// The host side of the cooperative kernel.
#pragma once

#include <algorithm>

#include "matmul/cooperative.h"
#include "matmul/entry.h"

namespace warpline::inline WARPLINE_TARGET {

template <CooperativeConfig Config>
struct CooperativeHost {
  using Kernel = CooperativeMatmul<Config>;
  static constexpr int stages = Config.stages;
  static constexpr int block_m = Kernel::block_m;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;
  static constexpr int static_n = 0;
  static constexpr int static_k = 0;

  /// 16 rows of tiles: the best of 4, 8 and 16 at 4096 and 8192 (docs/measurements.md).
  static constexpr int raster_rows = 16;

  static typename Kernel::Arguments arguments(const MatmulProblem& problem) {
    const MatrixView<__half> c{static_cast<__half*>(problem.c), problem.m, problem.n,
                               problem.c_stride};
    return {make_tensor_map<typename Kernel::ATile>(
                matmul_operand(problem.a, problem.m, problem.k, problem.a_stride), "A"),
            make_tensor_map<typename Kernel::BTile>(
                matmul_operand(problem.b, problem.n, problem.k, problem.b_stride), "B"),
            make_tensor_map<typename Kernel::CTile>(c, "C", MapUse::store),
            {tiles_of(problem.m, block_m * Config.cluster_m), tiles_of(problem.n, block_n),
             raster_rows / Config.cluster_m},
            tiles_of(problem.k, block_k)};
  }

  static isa::Index3 grid(const typename Kernel::Arguments& arguments, const MatmulProblem&) {
    const int clusters =
        std::min(isa::multiprocessors() / Config.cluster_m, arguments.order.count());
    return {static_cast<uint32_t>(clusters * Config.cluster_m), 1, 1};
  }
};

template <CooperativeConfig Config>
using CooperativeEntry = MatmulEntry<CooperativeHost<Config>>;

}  // namespace warpline::inline WARPLINE_TARGET
