// The phases that a stage goes through, who takes part in each, and how many arrivals end it.
//
//   Pipeline<Stage, Config, FilledByCopies<Loader>, ReadByTensorCores<Consumer>>
//       barriers: full, empty
//   Pipeline<Stage, Config, FilledByCopies<Loader>, TransformedByThreads<Caster>,
//            ReadByTensorCores<Consumer>>
//       barriers: full, transformed, empty
#pragma once

#include "warpline/role.h"

namespace warpline::inline WARPLINE_TARGET {

/// How a phase touches its stage; it decides how the phase is handed over.
enum class Access {
  copies,        ///< the copy engine writes; the barrier counts its bytes
  threads,       ///< ordinary loads and stores; handed over through a proxy fence
  tensor_cores,  ///< wgmma reads; handed over after the wait that covers it
};

/// Whether all roles of a phase touch each stage, or one of their warpgroups, whose turn it is.
enum class Share { all, one };

/// One phase of a stage: how the roles that take part touch it. Made by the names below.
template <Access A, Share S, Role... Roles>
struct BasicPhase {
  static_assert(sizeof...(Roles) > 0, "a phase of a pipeline needs at least one role");
  static_assert(roles_differ<Roles...>, "a phase of a pipeline names each role once");
  static_assert(S == Share::all || ((Roles::config.warps % warps_per_warpgroup == 0) && ...),
                "roles whose warpgroups take turns consist of whole warpgroups: make their warps a "
                "multiple of 4");
  static_assert(A != Access::tensor_cores || (Roles::config.multiplies && ...),
                "a role that reads by tensor cores multiplies: set RoleConfig::multiplies");
  static constexpr Access access = A;
  static constexpr Share share = S;
  static constexpr int roles = sizeof...(Roles);
  static constexpr RoleConfig configs[sizeof...(Roles)] = {Roles::config...};
  template <class R>
  static constexpr bool includes = (std::is_same_v<R, Roles> || ...);
};

template <Access A, Role... Roles>
using Phase = BasicPhase<A, Share::all, Roles...>;

/// The copy engine fills the stage. One thread of each role issues.
template <Role... Roles>
using FilledByCopies = Phase<Access::copies, Roles...>;
/// The roles' threads fill the stage with ordinary stores.
template <Role... Roles>
using FilledByThreads = Phase<Access::threads, Roles...>;
/// The roles' threads read the stage and rewrite it.
template <Role... Roles>
using TransformedByThreads = Phase<Access::threads, Roles...>;
/// The roles' threads read the stage with ordinary loads.
template <Role... Roles>
using ReadByThreads = Phase<Access::threads, Roles...>;
/// wgmma, issued by the roles, reads the stage.
template <Role... Roles>
using ReadByTensorCores = Phase<Access::tensor_cores, Roles...>;
/// The same, each stage by one of the roles' warpgroups: they take turns over runs of stages
/// (Turns), and pass over the others' with RingEnd::skip.
template <Role... Roles>
using ReadInTurnByTensorCores = BasicPhase<Access::tensor_cores, Share::one, Roles...>;

/// Which threads of a role arrive when it hands a stage on. per_thread is the plain reading of the
/// rules; per_warp arrives once the warp has reconverged; per_warpgroup has one thread speak for
/// four warps: after wgmma's wait that is vendor practice, after ordinary accesses the warpgroup
/// meets at a named barrier first.
enum class Release { per_thread, per_warp, per_warpgroup };

namespace phase_detail {

constexpr int arrivals(const RoleConfig& role, Release release) {
  return release == Release::per_thread ? role.warps * threads_per_warp
         : release == Release::per_warp ? role.warps
                                        : role.warps / warps_per_warpgroup;
}

/// Arrivals that end the phase, from one CTA.
template <class P>
constexpr int arrivals_of(Release release) {
  if (P::share == Share::one) {
    return arrivals({.warps = warps_per_warpgroup}, release);
  }
  int sum = 0;
  for (const RoleConfig& role : P::configs) {
    sum += P::access == Access::copies ? 1 : arrivals(role, release);
  }
  return sum;
}

template <class P>
constexpr bool whole_warpgroups() {
  for (const RoleConfig& role : P::configs) {
    if (P::access != Access::copies && role.warps % warps_per_warpgroup != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace phase_detail

}  // namespace warpline::inline WARPLINE_TARGET
