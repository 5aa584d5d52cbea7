// expect: a CTA has at most 1024 threads
//
// 33 warps.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
inline constexpr int warps = 32;
#else
inline constexpr int warps = 33;
#endif

struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = warps};
};

static_assert(RoleList<Reader>::warps == warps);

}  // namespace warpline::inline WARPLINE_TARGET
