// expect: the tile's columns must fill the swizzle's span
//
// 32 fp16 columns are 64 bytes.
#include <cuda_fp16.h>

#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Tile = SharedTile<__half, 64, 32, Swizzle::span_64>;
#else
using Tile = SharedTile<__half, 64, 32, Swizzle::span_128>;
#endif

static_assert(Tile::bytes == 4096);

}  // namespace warpline::inline WARPLINE_TARGET
