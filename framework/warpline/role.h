// Roles: which warps do what. A role is a type with a RoleConfig; a RoleList gives each its warps,
// in order.
#pragma once

#include <type_traits>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

struct RoleConfig {
  const char* name = "role";
  int warps = 0;
  /// Registers per thread that the role asks for with setmaxnreg; 0 keeps what the kernel was
  /// launched with.
  int registers = 0;
  /// Whether the role issues wgmma, which needs whole warpgroups.
  bool multiplies = false;
};

/// A type that says which warps it stands for:
///
///   struct Producer { static constexpr RoleConfig config{.name = "producer", .warps = 1}; };
template <class R>
concept Role =
    std::is_same_v<std::remove_cv_t<decltype(R::config)>, RoleConfig> && R::config.warps > 0;

/// Whether no role is named twice.
template <class... Roles>
inline constexpr bool roles_differ = true;
template <class First, class... Rest>
inline constexpr bool roles_differ<First, Rest...> =
    !(std::is_same_v<First, Rest> || ...) && roles_differ<Rest...>;

namespace role_detail {

/// Checks that hold for one role at its place in the list. A struct, so that errors name role and
/// place.
template <class R, int FirstWarp>
struct Placement {
  static constexpr RoleConfig config = R::config;
  static_assert(
      !config.multiplies || FirstWarp % warps_per_warpgroup == 0,
      "a role that multiplies (wgmma) must start at a warp index divisible by 4: list it before "
      "roles that do not fill whole warpgroups");
  static_assert(
      !config.multiplies || config.warps % warps_per_warpgroup == 0,
      "a role that multiplies (wgmma) needs whole warpgroups: make its warps a multiple of 4");
  static_assert(
      config.registers == 0 ||
          (FirstWarp % warps_per_warpgroup == 0 && config.warps % warps_per_warpgroup == 0),
      "only whole warpgroups can change their register count (setmaxnreg is .aligned over four "
      "warps): give the role a multiple of 4 warps at a warp index divisible by 4, or registers = "
      "0");
  static_assert(config.registers == 0 || (config.registers % 8 == 0 && config.registers >= 24 &&
                                          config.registers <= 256),
                "a role's registers are a multiple of 8 in 24..256");
  static constexpr bool checked = true;
};

}  // namespace role_detail

/// The roles of a kernel, in the order of their warps.
template <Role... Roles>
struct RoleList {
  static constexpr int size = sizeof...(Roles);
  static constexpr int warps = (Roles::config.warps + ...);
  static constexpr int threads = warps * threads_per_warp;
  static constexpr RoleConfig configs[sizeof...(Roles)] = {Roles::config...};

  /// Place of `R` in the list.
  template <class R>
  static constexpr int index_of = [] {
    constexpr bool same[] = {std::is_same_v<R, Roles>...};
    for (int i = 0; i < size; ++i) {
      if (same[i]) {
        return i;
      }
    }
    return -1;
  }();

  template <class R>
  static constexpr int first_warp = [] {
    static_assert(index_of<R> >= 0, "this role is not in the kernel's RoleList");
    int first = 0;
    for (int i = 0; i < index_of<R>; ++i) {
      first += configs[i].warps;
    }
    return first;
  }();

  /// Named barriers: one for each role, and one more for each warpgroup of a role of several.
  static constexpr int barriers_of(const RoleConfig& config) {
    return config.warps > warps_per_warpgroup && config.warps % warps_per_warpgroup == 0
               ? 1 + config.warps / warps_per_warpgroup
               : 1;
  }

  template <class R>
  static constexpr int first_barrier = [] {
    int next = 1;
    for (int i = 0; i < index_of<R>; ++i) {
      next += barriers_of(configs[i]);
    }
    return next;
  }();

  /// setmaxnreg hands registers round within what the CTA was launched with.
  static WARPLINE_HOST_DEVICE constexpr bool registers_fit(int launch_registers) {
    int sum = 0;
    for (const RoleConfig& config : configs) {
      sum += config.warps * (config.registers != 0 ? config.registers : launch_registers);
    }
    return sum <= warps * launch_registers;
  }

  static constexpr bool any_registers = ((Roles::config.registers != 0) || ...);

  static_assert(roles_differ<Roles...>,
                "a RoleList names each role once: give the second one a type of its own");
  static_assert(threads <= 1024, "a CTA has at most 1024 threads: give the roles fewer warps");
  static_assert((role_detail::Placement<Roles, first_warp<Roles>>::checked && ...));
  static_assert((barriers_of(Roles::config) + ...) <= 15,
                "the roles need more than the 15 named barriers of a CTA");
};

}  // namespace warpline::inline WARPLINE_TARGET
