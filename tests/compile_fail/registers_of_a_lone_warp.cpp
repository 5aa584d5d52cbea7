// expect: only whole warpgroups can change their register count
//
// setmaxnreg is an instruction of four warps: a lone producer warp cannot give registers away.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int warps = 4;
#else
inline constexpr int warps = 1;
#endif

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = warps, .registers = 40};
};

static_assert(RoleList<Consumer, Producer>::any_registers);

}  // namespace warpline::inline WARPLINE_TARGET
