// The host side of the warp-specialised kernel.
#pragma once

#include "matmul/entry.h"
#include "matmul/warp_specialized.h"

namespace warpline::inline WARPLINE_TARGET {

template <WarpSpecializedConfig Config>
struct WarpSpecializedHost {
  using Kernel = WarpSpecializedMatmul<Config>;
  static constexpr int stages = Config.stages;
  static constexpr int block_m = Config.block_m;
  static constexpr int block_n = Config.block_n;
  static constexpr int block_k = Config.block_k;
  static constexpr int static_n = Config.static_n;
  static constexpr int static_k = Config.static_k;

  static typename Kernel::Arguments arguments(const MatmulProblem& problem) {
    if (tiles_of(problem.n, block_n) > 65535) {
      throw Error("N is " + std::to_string(problem.n) + ": " +
                  std::to_string(tiles_of(problem.n, block_n)) + " tiles of " +
                  std::to_string(block_n) + " columns, a grid has at most 65535");
    }
    return {make_tensor_map<typename Kernel::ATile>(
                matmul_operand(problem.a, problem.m, problem.k, problem.a_stride), "A"),
            make_tensor_map<typename Kernel::BTile>(
                matmul_operand(problem.b, problem.n, problem.k, problem.b_stride), "B"),
            {static_cast<__half*>(problem.c), problem.m, problem.n, problem.c_stride},
            problem.k};
  }

  static isa::Index3 grid(const typename Kernel::Arguments&, const MatmulProblem& problem) {
    return {static_cast<uint32_t>(tiles_of(problem.m, block_m)),
            static_cast<uint32_t>(tiles_of(problem.n, block_n)), 1};
  }
};

template <WarpSpecializedConfig Config>
using WarpSpecializedEntry = MatmulEntry<WarpSpecializedHost<Config>>;

}  // namespace warpline::inline WARPLINE_TARGET
