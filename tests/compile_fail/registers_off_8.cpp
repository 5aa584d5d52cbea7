// expect: a role's registers are a multiple of 8 in 24..256
//
// setmaxnreg counts in eights.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int registers = 40;
#else
inline constexpr int registers = 44;
#endif

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = registers};
};

static_assert(RoleList<Producer>::any_registers);

}  // namespace warpline::inline WARPLINE_TARGET
