// Slots: one stage of a ring in the hands of one role. What a slot offers depends on how its phase
// touches the stage. A slot that goes out of scope hands its stage on, whatever way the loop was
// left.
#pragma once

#include "warpline/copy.h"
#include "warpline/isa/annotate.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/warp.h"
#include "warpline/mma.h"
#include "warpline/pipeline_phase.h"
#include "warpline/release.h"
#include "warpline/ring_position.h"
#include "warpline/shared_array.h"
#include "warpline/tensor_map.h"

namespace warpline::inline WARPLINE_TARGET {

template <class End, class StageIndex>
class SlotBase {
 public:
  using Ring = typename End::Pipeline;
  using Stage = typename Ring::Stage;

  SlotBase(const SlotBase&) = delete;
  SlotBase& operator=(const SlotBase&) = delete;

  /// The stage's tiles, by their names in the Stage struct.
  WARPLINE_DEVICE Stage& operator*() const {
    isa::require_open(open_, stage_, where_);
    return end_->storage_->stage[stage_];
  }
  WARPLINE_DEVICE Stage* operator->() const { return &**this; }

  /// Index of the stage: a constant in the unrolled loop form.
  WARPLINE_DEVICE constexpr int stage() const { return stage_; }

  /// False for a try_acquire that found nothing, and after the stage was handed on.
  WARPLINE_DEVICE explicit operator bool() const { return open_; }

 protected:
  WARPLINE_DEVICE SlotBase(End& end, StageIndex stage, SourceLine where, bool open)
      : end_(&end), stage_(stage), where_(where), open_(open) {}

  /// The barrier that our phase ends.
  WARPLINE_DEVICE isa::Mbarrier& barrier() const {
    return end_->storage_->barrier[End::phase][stage_];
  }

  WARPLINE_DEVICE const auto& group() const { return *end_->group_; }

  End* end_;
  StageIndex stage_;
  [[no_unique_address]] SourceLine where_;
  bool open_;
};

template <class End, class StageIndex, Access A = End::access>
class Slot;

/// A stage to be filled by the copy engine. All threads of the role call its functions; one of them
/// issues. A slot on which nothing was loaded announces zero bytes: the reader gets a stage it
/// should skip.
template <class End, class StageIndex>
class Slot<End, StageIndex, Access::copies> : public SlotBase<End, StageIndex> {
  using Base = SlotBase<End, StageIndex>;
  using Ring = typename Base::Ring;

 public:
  WARPLINE_DEVICE Slot(End& end, StageIndex stage, SourceLine where, bool open)
      : Base(end, stage, where, open) {}
  WARPLINE_DEVICE ~Slot() {
    if (this->open_ && !armed_) {
      isa::at_line(this->where_);
      commit();
    }
  }

  /// Loads the box of `map` whose first element is at `at` into `tile`, a member of this slot's
  /// stage. Elements outside the matrix arrive as zeros. `at.column` must fall on 16 bytes.
  template <class Tile, int Rank>
  WARPLINE_DEVICE void load(Tile& tile, const TensorMap<Tile, Rank>& map, Coordinate at,
                            SourceLine where = SourceLine::current()) {
    static_assert(is_copied_tile<Tile>,
                  "slot.load takes a SharedTile or Multicast member of the stage");
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    const bool leader = this->group().leader();
    announce(leader, copied_bytes<Tile>);
    if (leader) {
      if constexpr (is_multicast<Tile>) {
        load_tile_share<Ring::config.cluster>(tile, map, at, this->barrier(), where);
      } else {
        load_tile(tile, map, at, this->barrier(), where);
      }
    }
  }

  /// Loads the first `count` elements of `array` from `source`: both on 16 bytes, count * sizeof(T)
  /// a multiple of 16.
  template <class T, int Count>
  WARPLINE_DEVICE void load(SharedArray<T, Count>& array, const T* source, int count = Count,
                            SourceLine where = SourceLine::current()) {
    load(array, 0, source, count, where);
  }

  /// The same into elements `first` to `first + count - 1`: several rows make one stage.
  template <class T, int Count>
  WARPLINE_DEVICE void load(SharedArray<T, Count>& array, int first, const T* source, int count,
                            SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    const bool leader = this->group().leader();
    const auto bytes = static_cast<uint32_t>(count * static_cast<int>(sizeof(T)));
    announce(leader, bytes);
    if (leader) {
      isa::trace_moment_of_one(isa::TraceKind::copy_issue, {"load", -1, &this->barrier()}, bytes);
      isa::bulk_load(array.elements + first, source, bytes, this->barrier(), where);
    }
  }

  /// Stores one element by the leader itself, where no copy of 16 bytes would stay within the
  /// source. The stage's readers see it; the copies of a later turn come after it.
  template <class T, int Count>
  WARPLINE_DEVICE void put(SharedArray<T, Count>& array, int index, T value,
                           SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    static_assert(!Ring::arms_whole_stage);
    if (this->group().leader()) {
      array.store(index, value, where);
      isa::fence_proxy_async_shared(SourceLine::inherited());
    }
  }

  /// Announces zero bytes now: a skipped tile. (Going out of scope unused does the same.)
  WARPLINE_DEVICE void skip(SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    commit();
    this->open_ = false;
  }

 private:
  WARPLINE_DEVICE void announce(bool leader, uint32_t bytes) {
    if constexpr (Ring::arms_whole_stage) {
      if (!armed_ && leader) {
        isa::mbarrier_arrive_expect_tx(this->barrier(), Ring::tile_bytes, SourceLine::inherited());
      }
      armed_ = true;
    } else if (leader) {
      isa::mbarrier_expect_tx(this->barrier(), bytes, SourceLine::inherited());
    }
  }

  WARPLINE_DEVICE void commit() {
    if (this->group().leader()) {
      isa::mbarrier_arrive(this->barrier(), 1, SourceLine::inherited());
    }
  }

  bool armed_ = false;
};

/// A stage touched by ordinary loads and stores. All threads of the role release it.
template <class End, class StageIndex>
class Slot<End, StageIndex, Access::threads> : public SlotBase<End, StageIndex> {
  using Base = SlotBase<End, StageIndex>;

 public:
  WARPLINE_DEVICE Slot(End& end, StageIndex stage, SourceLine where, bool open)
      : Base(end, stage, where, open) {}
  WARPLINE_DEVICE ~Slot() {
    if (this->open_) {
      release(this->where_);
    }
  }

  /// Hands the stage on. This thread must be done with it.
  WARPLINE_DEVICE void release(SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    release_after_ordinary_accesses<End>(this->group(), this->barrier());
    this->open_ = false;
  }

 private:
  template <class E>
  friend class KeptSlot;
};

/// A stage read by wgmma. It can be handed on only with the token of the multiply that reads it.
template <class End, class StageIndex>
class Slot<End, StageIndex, Access::tensor_cores> : public SlotBase<End, StageIndex> {
  using Base = SlotBase<End, StageIndex>;

 public:
  WARPLINE_DEVICE Slot(End& end, StageIndex stage, SourceLine where, bool open)
      : Base(end, stage, where, open) {}
  /// Whatever was issued on the stage may still run: an early exit waits for it.
  WARPLINE_DEVICE ~Slot() {
    if (this->open_) {
      isa::wgmma_wait_group<0>(this->where_);
      warpline::release_unread<End>(this->group(), this->barrier());
    }
  }

  /// Waits for the multiply, then hands the stage on.
  template <class Acc>
  WARPLINE_DEVICE void release_after(const MmaToken<Acc>& token,
                                     SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    token.template wait<0>(where);
    release_after_wgmma<End>(this->group(), this->barrier());
    this->open_ = false;
  }

  /// Hands on a stage that no multiply reads (a skipped tile).
  WARPLINE_DEVICE void release_unread(SourceLine where = SourceLine::current()) {
    isa::require_open(this->open_, this->stage(), where);
    isa::at_line(where);
    warpline::release_unread<End>(this->group(), this->barrier());
    this->open_ = false;
  }

 private:
  template <class E>
  friend class DeferredRelease;
};

}  // namespace warpline::inline WARPLINE_TARGET
