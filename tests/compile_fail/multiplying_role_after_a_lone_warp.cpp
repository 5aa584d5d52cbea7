// expect: must start at a warp index divisible by 4: list it before
// compiler: both
//
// With the producer listed first, the consumer would start at warp 1.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Roles = RoleList<Consumer, Producer>;
#else
using Roles = RoleList<Producer, Consumer>;
#endif

static_assert(Roles::threads == 160);

}  // namespace warpline::inline WARPLINE_TARGET
