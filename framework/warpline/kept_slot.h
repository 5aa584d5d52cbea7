// KeptSlot: a stage that a role of ordinary accesses keeps while it acquires the next.
#pragma once

#include "warpline/slot.h"

namespace warpline::inline WARPLINE_TARGET {

/// An object outside of the loop, which owns a stage or none:
///
///   KeptSlot kept(end);
///   for (auto slot : end.read(count)) {
///     ... something with *slot, and what is left to do with *kept, if (kept) ...
///     kept.release();
///     kept.take(slot);
///   }
///   ... the rest; the last stage is handed on at the end of `kept`'s life, or by release()
///
/// All threads of the role call its functions.
template <class End>
class KeptSlot {
  static_assert(End::access == Access::threads,
                "only a stage of ordinary accesses can be kept: use DeferredRelease after wgmma");

 public:
  explicit WARPLINE_DEVICE KeptSlot(End& end, SourceLine where = SourceLine::current())
      : end_(&end), where_(where) {}
  KeptSlot(const KeptSlot&) = delete;
  KeptSlot& operator=(const KeptSlot&) = delete;
  WARPLINE_DEVICE ~KeptSlot() {
    isa::at_line(where_);
    release(where_);
  }

  /// Takes the stage over from the slot, which is empty afterwards. What it had must have been
  /// handed on: it would never be.
  template <class StageIndex>
  WARPLINE_DEVICE void take(Slot<End, StageIndex, Access::threads>& slot,
                            SourceLine where = SourceLine::current()) {
    isa::require_open(slot.open_, slot.stage(), where);
    slot.open_ = false;
    own(slot.stage());
  }
  /// The same from another one.
  WARPLINE_DEVICE void take(KeptSlot& other, SourceLine where = SourceLine::current()) {
    isa::require_open(other.owned_, other.stage_, where);
    other.owned_ = false;
    own(other.stage_);
  }

  /// Hands the stage on, if there is one. This thread must be done with it.
  WARPLINE_DEVICE void release(SourceLine where = SourceLine::current()) {
    if (owned_) {
      isa::at_line(where);
      release_after_ordinary_accesses<End>(*end_->group_,
                                           end_->storage_->barrier[End::phase][stage_]);
      owned_ = false;
    }
  }

  /// The stage that was taken last, as long as it has not been handed on.
  WARPLINE_DEVICE auto& operator*() const { return end_->storage_->stage[stage_]; }
  WARPLINE_DEVICE auto* operator->() const { return &**this; }
  WARPLINE_DEVICE explicit operator bool() const { return owned_; }

 private:
  WARPLINE_DEVICE void own(int stage) {
    stage_ = stage;
    owned_ = true;
  }

  End* end_;
  [[no_unique_address]] SourceLine where_;
  int stage_ = 0;
  bool owned_ = false;
};

}  // namespace warpline::inline WARPLINE_TARGET
