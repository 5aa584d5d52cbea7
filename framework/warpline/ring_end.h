// RingEnd: a role's end of a Pipeline. It waits for the phase before its own, hands out a slot for
// the stage, and ends its own phase when the slot is released. One end per role and CTA: it carries
// stage and phase across tiles.
#pragma once

#include <type_traits>
#include <utility>

#include "warpline/isa/annotate.h"
#include "warpline/isa/wait.h"
#include "warpline/pipeline_phase.h"
#include "warpline/ring_loop.h"
#include "warpline/ring_position.h"
#include "warpline/slot.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Ring, int PhaseIndex, class Group>
class RingEnd {
 public:
  using Pipeline = Ring;
  using Storage = typename Ring::Storage;
  using RingGroup = Group;
  static constexpr int phase = PhaseIndex;
  static constexpr bool fills = PhaseIndex == 0;
  static constexpr Access access = Ring::accesses[PhaseIndex];
  static constexpr int stages = Ring::stages;
  template <class StageIndex>
  using SlotFor = Slot<RingEnd, StageIndex>;

  WARPLINE_DEVICE RingEnd(Storage& storage, const Group& group, SourceLine where)
      : storage_(&storage), group_(&group), where_(where) {}
  RingEnd(const RingEnd&) = delete;
  RingEnd& operator=(const RingEnd&) = delete;

  /// Who fills must outlive the arrivals that are still on their way to its barriers: it waits
  /// until every stage it ever filled was freed. Stages never filled count as free, so short loops
  /// need no special case.
  WARPLINE_DEVICE ~RingEnd() {
    if constexpr (fills) {
      isa::at_line(where_);
      WARPLINE_NO_UNROLL
      for (int i = 0; i < stages; ++i) {
        await(position_.stage, position_.parity);
        position_.advance();
      }
    }
  }

  /// for (auto slot : end.fill(count)): the next `count` stages, one after the other.
  [[nodiscard]] WARPLINE_DEVICE auto fill(int count, SourceLine where = SourceLine::current()) & {
    static_assert(fills,
                  "only the end of the role that fills can fill(): use read() or transform()");
    return RingRange<RingEnd>(*this, count, where);
  }
  [[nodiscard]] WARPLINE_DEVICE auto read(int count, SourceLine where = SourceLine::current()) & {
    static_assert(!fills && PhaseIndex == Ring::phases - 1,
                  "only a consumer end can read(): use fill() or transform()");
    return RingRange<RingEnd>(*this, count, where);
  }
  [[nodiscard]] WARPLINE_DEVICE auto transform(int count,
                                               SourceLine where = SourceLine::current()) & {
    static_assert(!fills && PhaseIndex != Ring::phases - 1,
                  "only a middle end can transform(): use fill() or read()");
    return RingRange<RingEnd>(*this, count, where);
  }

  /// end.fill(count, [&](auto& slot) { ... }): the same, unrolled by the number of stages, so that
  /// the slot's stage is a compile-time constant.
  template <class Body>
  WARPLINE_DEVICE void fill(int count, Body body, SourceLine where = SourceLine::current()) {
    static_assert(fills,
                  "only the end of the role that fills can fill(): use read() or transform()");
    unrolled_ring_loop(*this, count, body, where);
  }
  template <class Body>
  WARPLINE_DEVICE void read(int count, Body body, SourceLine where = SourceLine::current()) {
    static_assert(!fills && PhaseIndex == Ring::phases - 1,
                  "only a consumer end can read(): use fill() or transform()");
    unrolled_ring_loop(*this, count, body, where);
  }
  template <class Body>
  WARPLINE_DEVICE void transform(int count, Body body, SourceLine where = SourceLine::current()) {
    static_assert(!fills && PhaseIndex != Ring::phases - 1,
                  "only a middle end can transform(): use fill() or read()");
    unrolled_ring_loop(*this, count, body, where);
  }

  /// Passes over `count` stages that another warpgroup reads: ReadInTurnByTensorCores. Wait for
  /// one's turn before the next stage, or its barrier may still be a round behind.
  WARPLINE_DEVICE void skip(int count) { position_.advance(count); }

  /// Waits for the next stage.
  [[nodiscard]] WARPLINE_DEVICE auto acquire(SourceLine where = SourceLine::current()) & {
    isa::at_line(where);
    const int stage = position_.stage;
    await(stage, position_.parity);
    position_.advance();
    return Slot<RingEnd, RuntimeStage>(*this, RuntimeStage{stage}, where, true);
  }

  /// The next stage if it is ready, else a slot that tests false. All threads of a warp get the
  /// same answer.
  [[nodiscard]] WARPLINE_DEVICE auto try_acquire(SourceLine where = SourceLine::current()) & {
    isa::at_line(where);
    const int stage = position_.stage;
    bool ready = true;
    if (access != Access::copies || group_->warp_rank() == 0) {  // see await
      const bool passed = isa::lane_index() == 0 &&
                          isa::mbarrier_test_wait(awaited(stage), position_.parity, where);
      ready = isa::shuffle(passed ? 1 : 0, 0, where) != 0;
    }
    if (ready) {
      await(stage, position_.parity);  // the other lanes' own acquire
      position_.advance();
    }
    return Slot<RingEnd, RuntimeStage>(*this, RuntimeStage{stage}, where, ready);
  }

 private:
  template <class End, class StageIndex>
  friend class SlotBase;
  template <class End>
  friend class DeferredRelease;
  template <class End>
  friend class KeptSlot;
  template <class End, class Body>
  friend WARPLINE_DEVICE void unrolled_ring_loop(End&, int, Body&, SourceLine);

  /// The barrier that ends the phase before ours.
  WARPLINE_DEVICE isa::Mbarrier& awaited(int stage) {
    return storage_->barrier[(PhaseIndex + Ring::phases - 1) % Ring::phases][stage];
  }

  /// Of a role that fills by copies only the leader touches the stage: its warp waits together,
  /// other warps not at all. They have no arrival to make that would hold the ring up for them, and
  /// could fall behind by two turns, which a parity does not tell from none; so the warp meets
  /// before the leader goes on. (Letting the leader wait alone splits the warp: the compiler has
  /// made the elected thread's copies instructions of the whole warp, and the other lanes repeat
  /// them; tried.)
  WARPLINE_DEVICE void await(int stage, uint32_t parity) {
    constexpr int before = (PhaseIndex + Ring::phases - 1) % Ring::phases;
    if (access != Access::copies || group_->warp_rank() == 0) {
      isa::wait(awaited(stage), parity,
                {.role = Group::config.name, .barrier = Ring::barrier_name(before), .stage = stage},
                SourceLine::inherited());
      if constexpr (access == Access::copies) {
        isa::syncwarp(SourceLine::inherited());
      }
    }
  }

  Storage* storage_;
  const Group* group_;
  [[no_unique_address]] SourceLine where_;
  RingPosition<stages> position_{
      .stage = 0, .parity = fills ? filling_initial_parity : following_initial_parity};
};

}  // namespace warpline::inline WARPLINE_TARGET
