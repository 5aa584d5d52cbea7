// expect: a SharedArray is a multiple of 16 bytes
//
// Bulk copies move 16 bytes at a time.
#include "warpline/shared_array.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Array = SharedArray<int, 4>;
#else
using Array = SharedArray<int, 3>;
#endif

static_assert(sizeof(Array) == 128);

}  // namespace warpline::inline WARPLINE_TARGET
