// expect: multiples of 8 rows
//
// The pattern of the swizzle repeats every 8 rows.
#include <cuda_fp16.h>

#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

using Tile = SharedTile<__half, 128, 64>;

WARPLINE_DEVICE const Tile* slice(const Tile& tile) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  return tile.row_slice<64, 64>().tile;
#else
  return tile.row_slice<4, 64>().tile;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
