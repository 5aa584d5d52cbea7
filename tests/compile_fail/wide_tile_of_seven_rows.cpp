// expect: needs a multiple of 8 rows, or its second slab
//
// The second span of columns would start off the pattern of the swizzle.
#include <cuda_fp16.h>

#include "warpline/tile.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Tile = SharedTile<__half, 8, 128>;
#else
using Tile = SharedTile<__half, 7, 128>;
#endif

static_assert(Tile::slabs == 2);

}  // namespace warpline::inline WARPLINE_TARGET
