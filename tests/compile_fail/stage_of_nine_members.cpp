// expect: a Stage has at most eight members
//
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

using Array = SharedArray<int, 4>;
struct Stage {
  Array a, b, c, d, e, f, g, h;
#ifndef WARPLINE_COMPILE_FAIL_CONTROL
  Array i;
#endif
};

static_assert(MemberTypes<Stage>::size == 8);

}  // namespace warpline::inline WARPLINE_TARGET
