// DeferredRelease: keeps one multiply in flight and frees the stage of the one before.
#pragma once

#include "warpline/slot.h"

namespace warpline::inline WARPLINE_TARGET {

/// In a role that multiplies, around its loop:
///
///   DeferredRelease deferred(end);
///   for (auto slot : end.read(k_tiles)) deferred.push(slot, mma(accumulator, slot->a, slot->b));
///   deferred.flush(accumulator);
template <class End>
class DeferredRelease {
  static_assert(End::stages >= 2,
                "deferred release holds one stage while the next is read: a ring of at least two");

 public:
  explicit WARPLINE_DEVICE DeferredRelease(End& end, SourceLine where = SourceLine::current())
      : end_(&end), where_(where) {}
  DeferredRelease(const DeferredRelease&) = delete;
  DeferredRelease& operator=(const DeferredRelease&) = delete;
  WARPLINE_DEVICE ~DeferredRelease() {
    if (held_) {
      isa::wgmma_wait_group<0>(where_);
      release_held();
    }
  }

  /// Takes the slot over; waits until only its multiply is in flight, and frees the stage before
  /// it.
  template <class StageIndex, class Acc>
  WARPLINE_DEVICE void push(Slot<End, StageIndex, Access::tensor_cores>& slot,
                            const MmaToken<Acc>& token, SourceLine where = SourceLine::current()) {
    slot.open_ = false;
    if (held_) {
      token.template wait<1>(where);
      release(last_);
    }
    held_ = true;
    last_ = slot.stage();
  }

  /// For a stage that no multiply reads: frees it, and the held one too, which a run of skipped
  /// stages would otherwise keep from the role that fills.
  template <class StageIndex>
  WARPLINE_DEVICE void skip(Slot<End, StageIndex, Access::tensor_cores>& slot,
                            SourceLine where = SourceLine::current()) {
    if (held_) {
      isa::wgmma_wait_group<0>(where);
      release_held();
    }
    slot.release_unread(where);
  }

  /// Waits for the last multiply and frees its stage. The accumulator may then be read.
  template <class Acc>
  WARPLINE_DEVICE void flush(Acc& accumulator, SourceLine where = SourceLine::current()) {
    MmaToken<Acc>(accumulator).template wait<0>(where);
    if (held_) {
      release_held();
    }
  }

 private:
  WARPLINE_DEVICE void release(int stage) {
    release_after_wgmma<End>(*end_->group_, end_->storage_->barrier[End::phase][stage]);
  }
  WARPLINE_DEVICE void release_held() {
    release(last_);
    held_ = false;
  }

  End* end_;
  [[no_unique_address]] SourceLine where_;
  bool held_ = false;
  int last_ = 0;
};

}  // namespace warpline::inline WARPLINE_TARGET
