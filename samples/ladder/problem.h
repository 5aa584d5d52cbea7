// What the six versions share: the operands as the copy engine sees them, and the host side.
#pragma once

#include "matmul/entry.h"
#include "warpline/epilogue.h"
#include "warpline/tile_order.h"

namespace ladder::inline WARPLINE_TARGET {

using namespace warpline;  // NOLINT(google-build-using-namespace): these files are a program

struct LadderConfig {
  int stages = 2;
  int block_m = 128;
  int block_n = 128;
  int block_k = 64;
  /// Rows of tiles that are worked on together (v4, v5); 0: no rasterisation.
  int raster = 0;
};

/// C[M,N] = A[M,K] * B[N,K]^T, fp16.
template <LadderConfig Config>
struct Operands {
  using ATile = SharedTile<__half, Config.block_m, Config.block_k>;
  using BTile = SharedTile<__half, Config.block_n, Config.block_k>;
  TensorMap<ATile> a;
  TensorMap<BTile> b;
  MatrixView<__half> c;
  int k_tiles;
  GroupedRaster order;

  /// The tile of C that this CTA computes.
  WARPLINE_DEVICE TileIndex tile() const {
    return order.at(static_cast<int>(isa::block_index().x));
  }
};

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
    return {make_tensor_map<typename Operands<Config>::ATile>(
                matmul_operand(p.a, p.m, p.k, p.a_stride), "A"),
            make_tensor_map<typename Operands<Config>::BTile>(
                matmul_operand(p.b, p.n, p.k, p.b_stride), "B"),
            {static_cast<__half*>(p.c), p.m, p.n, p.c_stride},
            tiles_of(p.k, block_k),
            {m_tiles, tiles_of(p.n, block_n), Config.raster == 0 ? m_tiles : Config.raster}};
  }

  static isa::Index3 grid(const Operands<Config>& operands, const MatmulProblem&) {
    return {static_cast<uint32_t>(operands.order.count()), 1, 1};
  }
};

}  // namespace ladder::inline WARPLINE_TARGET
