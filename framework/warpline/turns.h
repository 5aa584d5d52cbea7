// Turns: roles that may do something only one after the other, round and round.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

/// Shared memory of Turns: one barrier for each role.
template <int Roles>
struct TurnsStorage {
  isa::Mbarrier turn[Roles];
};

/// The roles go first to last, and then again. `Ordered` are whole roles with equal numbers of
/// warps; the first starts.
///
///   Turns<First, Second> turns(shared.turns);     // all threads of the CTA
///   ... in each of the roles:
///   auto mine = turns.of(group);
///   for (...) { mine.wait(); ...; mine.pass(more); }
template <class... Ordered>
class Turns {
 public:
  static constexpr int roles = sizeof...(Ordered);
  using Storage = TurnsStorage<roles>;

  /// Prepares the barriers. One thread writes them; the caller synchronises the CTA before anybody
  /// waits (a Pipeline made afterwards does).
  explicit WARPLINE_DEVICE Turns(Storage& storage, SourceLine where = SourceLine::current())
      : storage_(&storage) {
    if (isa::thread_index() == 0) {
      for (int role = 0; role < roles; ++role) {
        isa::name_mbarrier(storage.turn[role], "turn", role);
        isa::mbarrier_init(storage.turn[role], warps, where);
      }
    }
  }

  template <class Group>
  class Mine {
   public:
    static constexpr int place = [] {
      constexpr bool same[] = {std::is_same_v<typename Group::Role, Ordered>...};
      for (int i = 0; i < roles; ++i) {
        if (same[i]) {
          return i;
        }
      }
      return -1;
    }();
    static_assert(place >= 0, "this role takes no turns: name it in Turns<...>");

    explicit WARPLINE_DEVICE Mine(Storage& storage) : storage_(&storage) {}

    /// Until the role before has passed the turn on; the first role's first turn needs nobody.
    WARPLINE_DEVICE void wait(SourceLine where = SourceLine::current()) {
      isa::wait(storage_->turn[place], parity_,
                {.role = Group::config.name, .barrier = "turn", .stage = place}, where);
      parity_ ^= 1;
    }

    /// To the next role. With `wanted` false nobody will wait for it, and nothing is done: the last
    /// turn of all.
    WARPLINE_DEVICE void pass(const Group& group, bool wanted,
                              SourceLine where = SourceLine::current()) {
      isa::syncwarp(where);
      if (wanted && group.elected()) {
        isa::mbarrier_arrive(storage_->turn[(place + 1) % roles], 1, where);
      }
    }

   private:
    Storage* storage_;
    uint32_t parity_ = place == 0 ? 1 : 0;
  };

  template <class Group>
  WARPLINE_DEVICE auto of(const Group&) {
    return Mine<Group>(*storage_);
  }

 private:
  static constexpr int warps = first_warps<Ordered...>;
  static_assert(((Ordered::config.warps == warps) && ...),
                "roles that take turns have the same number of warps");
  Storage* storage_;
};

}  // namespace warpline::inline WARPLINE_TARGET
