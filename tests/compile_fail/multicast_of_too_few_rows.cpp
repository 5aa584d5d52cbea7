// expect: rows must be a multiple of 8 x CTAs
//
// Each of four CTAs loads a share of the rows, whole patterns of the swizzle.
#include <cuda_fp16.h>

#include "warpline/multicast.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Tile = Multicast<SharedTile<__half, 32, 64>, ClusterAxis::x, 4>;
#else
using Tile = Multicast<SharedTile<__half, 16, 64>, ClusterAxis::x, 4>;
#endif

static_assert(Tile::ctas == 4);

}  // namespace warpline::inline WARPLINE_TARGET
