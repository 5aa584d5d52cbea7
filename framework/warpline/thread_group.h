// ThreadGroup: the threads of one role, and dispatch, which sends each warp to its role's code.
#pragma once

#include <utility>

#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/setmaxnreg.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/trace.h"
#include "warpline/isa/warp.h"
#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

/// One warpgroup of a role, as a group of its own: what StoreRing and others need of a group.
template <uint32_t FirstBarrier>
class Warpgroup {
 public:
  static constexpr int threads = threads_per_warpgroup;

  WARPLINE_DEVICE Warpgroup(uint32_t warp, bool elected) : warp_(warp), elected_(elected) {}

  /// Index of this thread or warp within the warpgroup.
  WARPLINE_DEVICE uint32_t thread_rank() const {
    return isa::thread_index() % threads_per_warpgroup;
  }
  WARPLINE_DEVICE uint32_t warp_rank() const { return warp_ % warps_per_warpgroup; }

  /// True in one thread of the warpgroup, the same one each time.
  WARPLINE_DEVICE bool leader() const { return elected_ && warp_rank() == 0; }

  /// The 128 threads meet.
  WARPLINE_DEVICE void sync(SourceLine where = SourceLine::current()) const {
    isa::named_barrier_sync(FirstBarrier + warp_ / warps_per_warpgroup, threads_per_warpgroup,
                            where);
  }

 private:
  uint32_t warp_;
  bool elected_;
};

/// What a thread knows of the group of warps that share its role. Made by dispatch.
template <class Roles, class R>
class ThreadGroup {
 public:
  using Role = R;
  static constexpr RoleConfig config = R::config;
  static constexpr int first_warp = Roles::template first_warp<R>;
  static constexpr int warps = config.warps;
  static constexpr int threads = warps * threads_per_warp;
  static constexpr int warpgroups = warps / warps_per_warpgroup;

  WARPLINE_DEVICE ThreadGroup()
      : warp_(isa::warp_index() - first_warp), elected_(isa::elect_one(SourceLine::inherited())) {}

  /// Index of this thread, warp or warpgroup within the role.
  WARPLINE_DEVICE uint32_t thread_rank() const {
    return isa::thread_index() - first_warp * threads_per_warp;
  }
  WARPLINE_DEVICE uint32_t warp_rank() const { return warps == 1 ? 0 : warp_; }
  WARPLINE_DEVICE uint32_t warpgroup_rank() const { return warp_ / warps_per_warpgroup; }

  /// True in one lane of each warp, the same one each time.
  WARPLINE_DEVICE bool elected() const { return elected_; }

  /// True in one thread of the role, the same one each time.
  WARPLINE_DEVICE bool leader() const { return elected_ && (warps == 1 || warp_ == 0); }

  /// True in one thread of each warpgroup.
  WARPLINE_DEVICE bool warpgroup_leader() const {
    return elected_ && warp_ % warps_per_warpgroup == 0;
  }

  /// All threads of the role meet.
  WARPLINE_DEVICE void sync(SourceLine where = SourceLine::current()) const {
    if constexpr (warps == 1) {
      isa::syncwarp(where);
    } else {
      isa::named_barrier_sync(Roles::template first_barrier<R>, threads, where);
    }
  }

  /// This thread's warpgroup. Each warpgroup has a named barrier of its own.
  WARPLINE_DEVICE auto warpgroup() const {
    static_assert(warps % warps_per_warpgroup == 0, "only roles of whole warpgroups have them");
    constexpr int first_barrier = Roles::template first_barrier<R>;
    return Warpgroup<first_barrier + (warpgroups == 1 ? 0 : 1)>(warp_, elected_);
  }

  /// The 128 threads of this thread's warpgroup meet.
  WARPLINE_DEVICE void sync_warpgroup(SourceLine where = SourceLine::current()) const {
    warpgroup().sync(where);
  }

 private:
  uint32_t warp_;
  bool elected_;
};

namespace dispatch_detail {

template <int LaunchRegisters, class Group>
WARPLINE_DEVICE void adjust_registers() {
  constexpr int wanted = Group::config.registers;
  if constexpr (wanted != 0 && wanted < LaunchRegisters) {
    isa::setmaxnreg_decrease<wanted>(SourceLine::inherited());
  } else if constexpr (wanted != 0 && wanted > LaunchRegisters) {
    isa::setmaxnreg_increase<wanted>(SourceLine::inherited());
  }
}

template <class Group, class Body, class... Others>
WARPLINE_DEVICE void run_body(Body& body, Others&... others) {
  if constexpr (std::is_invocable_v<Body&, Group&>) {
    Group group;
    body(group);
  } else {
    static_assert(
        sizeof...(Others) > 0,
        "no function given to dispatch takes this role's ThreadGroup: write one for each role");
    run_body<Group>(others...);
  }
}

/// Roles that are still to be tried. No RoleList: that would place them as if none came before.
template <class... Roles>
struct Remaining {};

template <class... Roles>
Remaining<Roles...>* all_of(RoleList<Roles...>*);

template <class Roles, int LaunchRegisters, class First, class... Rest, class... Bodies>
WARPLINE_DEVICE void run_role(uint32_t warp, Remaining<First, Rest...>*, Bodies&... bodies) {
  using Group = ThreadGroup<Roles, First>;
  // One if/else chain, whatever the number of roles: setmaxnreg is ignored otherwise (C7508).
  if (sizeof...(Rest) == 0 || warp < static_cast<uint32_t>(Group::first_warp + Group::warps)) {
    adjust_registers<LaunchRegisters, Group>();
    isa::enter_role(Group::config.name);
    isa::trace_role(Group::config.name);
    run_body<Group>(bodies...);
  } else {
    if constexpr (sizeof...(Rest) > 0) {
      run_role<Roles, LaunchRegisters>(warp, static_cast<Remaining<Rest...>*>(nullptr), bodies...);
    }
  }
}

}  // namespace dispatch_detail

/// Runs, in each warp, the one of `bodies` that takes its role's ThreadGroup. `LaunchRegisters` is
/// what the kernel is launched with (LaunchConfig::registers), needed only if a role asks for
/// registers.
template <class Roles, int LaunchRegisters = 0, class... Bodies>
WARPLINE_DEVICE void dispatch(Bodies... bodies) {
  static_assert(sizeof...(Bodies) == Roles::size, "dispatch takes one function for each role");
  static_assert(!Roles::any_registers || LaunchRegisters != 0,
                "a role asks for registers: give dispatch the kernel's launch registers");
  static_assert(!Roles::any_registers || Roles::registers_fit(LaunchRegisters),
                "the roles ask for more registers than the CTA was launched with: the sum over "
                "roles of warps x "
                "registers may not exceed all warps x launch registers");
  using All = decltype(dispatch_detail::all_of(static_cast<Roles*>(nullptr)));
  dispatch_detail::run_role<Roles, LaunchRegisters>(isa::warp_index(), static_cast<All>(nullptr),
                                                    bodies...);
}

}  // namespace warpline::inline WARPLINE_TARGET
