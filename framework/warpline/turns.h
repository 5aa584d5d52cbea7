// Turns: warpgroups that may do something only one after the other, round and round.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/wait.h"
#include "warpline/isa/warp.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

/// Shared memory of Turns: one barrier for each warpgroup.
template <int Warpgroups>
struct TurnsStorage {
  isa::Mbarrier turn[Warpgroups];
};

/// The warpgroups of the roles `Ordered` go first to last, and then again; the first starts.
///
///   Turns<Consumers> turns(shared.turns);     // all threads of the CTA
///   ... in each warpgroup of the roles:
///   auto mine = turns.of(group);
///   for (...) { mine.wait(); ...; mine.pass(more); }
template <class... Ordered>
class Turns {
 public:
  static constexpr int warpgroups = ((Ordered::config.warps / warps_per_warpgroup) + ...);
  using Storage = TurnsStorage<warpgroups>;
  static_assert(((Ordered::config.warps % warps_per_warpgroup == 0) && ...),
                "warpgroups take turns: make the roles' warps a multiple of 4");

  /// Prepares the barriers. One thread writes them; the caller synchronises the CTA before anybody
  /// waits (a Pipeline made afterwards does).
  explicit WARPLINE_DEVICE Turns(Storage& storage, SourceLine where = SourceLine::current())
      : storage_(&storage) {
    if (isa::thread_index() == 0) {
      for (int place = 0; place < warpgroups; ++place) {
        isa::name_mbarrier(storage.turn[place], "turn", place);
        isa::mbarrier_init(storage.turn[place], warps_per_warpgroup, where);
      }
    }
  }

  template <class Group>
  class Mine {
   public:
    /// The turn of the role's first warpgroup.
    static constexpr int first_place = [] {
      constexpr bool same[] = {std::is_same_v<typename Group::Role, Ordered>...};
      constexpr int warps[] = {Ordered::config.warps...};
      int before = 0;
      for (int i = 0; i < static_cast<int>(sizeof...(Ordered)); ++i) {
        if (same[i]) {
          return before;
        }
        before += warps[i] / warps_per_warpgroup;
      }
      return -1;
    }();
    static_assert(first_place >= 0, "this role takes no turns: name it in Turns<...>");

    WARPLINE_DEVICE Mine(Storage& storage, const Group& group)
        : storage_(&storage), group_(&group), parity_(place() == 0 ? 1 : 0) {}

    /// Until the warpgroup before has passed the turn on; the first one's first turn needs nobody.
    WARPLINE_DEVICE void wait(SourceLine where = SourceLine::current()) {
      isa::wait(storage_->turn[place()], parity_,
                {.role = Group::config.name, .barrier = "turn", .stage = place()}, where);
      parity_ ^= 1;
    }

    /// To the next warpgroup. With `wanted` false nobody will wait for it, and nothing is done: the
    /// last turn of all.
    WARPLINE_DEVICE void pass(bool wanted, SourceLine where = SourceLine::current()) {
      isa::syncwarp(where);
      if (wanted && group_->elected()) {
        const int next = place() + 1;
        isa::mbarrier_arrive(storage_->turn[next == warpgroups ? 0 : next], 1, where);
      }
    }

   private:
    WARPLINE_DEVICE int place() const {
      return first_place +
             (Group::warpgroups == 1 ? 0 : static_cast<int>(group_->warpgroup_rank()));
    }

    Storage* storage_;
    const Group* group_;
    uint32_t parity_;
  };

  /// The turns of the warpgroup that this thread is in.
  template <class Group>
  WARPLINE_DEVICE auto of(const Group& group) {
    return Mine<Group>(*storage_, group);
  }

 private:
  Storage* storage_;
};

}  // namespace warpline::inline WARPLINE_TARGET
