// expect: more than the 15 named barriers of a CTA
//
// A role of two warpgroups takes three of them, every other role one.
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

template <int Index>
struct Wide {
  static constexpr RoleConfig config{.name = "wide", .warps = 8};
};
template <int Index>
struct Lone {
  static constexpr RoleConfig config{.name = "lone", .warps = 1};
};

using Roles =
    RoleList<Wide<0>, Wide<1>,
#ifndef WARPLINE_COMPILE_FAIL_CONTROL
             Lone<0>,
#endif
             Lone<1>, Lone<2>, Lone<3>, Lone<4>, Lone<5>, Lone<6>, Lone<7>, Lone<8>, Lone<9>>;
static_assert(Roles::size >= 11);

}  // namespace warpline::inline WARPLINE_TARGET
