// expect: needs whole warpgroups: make its warps a multiple of 4
//
// wgmma is an instruction of four warps.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int warps = 4;
#else
inline constexpr int warps = 3;
#endif

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = warps, .multiplies = true};
};

static_assert(RoleList<Consumer>::threads == warps * 32);

}  // namespace warpline::inline WARPLINE_TARGET
