// What the versions share: the operands as the copy engine sees them.
#pragma once

#include <cuda_fp16.h>

#include "samples/ladder/config.h"
#include "warpline/epilogue.h"
#include "warpline/launch.h"
#include "warpline/mma.h"
#include "warpline/tensor_map.h"
#include "warpline/tile.h"
#include "warpline/tile_order.h"

namespace ladder::inline WARPLINE_TARGET {

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

}  // namespace ladder::inline WARPLINE_TARGET
