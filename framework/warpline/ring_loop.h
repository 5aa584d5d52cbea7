// The two loop forms over a ring: a range, and a loop unrolled by the number of stages.
#pragma once

#include "warpline/isa/annotate.h"
#include "warpline/ring_position.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// What `for (auto slot : end.read(count))` iterates over. The end moves on when a slot is taken,
/// not when the loop comes round, so that break and return leave it in the right place.
template <class End>
class RingRange {
 public:
  struct Sentinel {};

  class Iterator {
   public:
    WARPLINE_DEVICE Iterator(End& end, int remaining, SourceLine where)
        : end_(&end), remaining_(remaining), where_(where) {}
    WARPLINE_DEVICE auto operator*() const { return end_->acquire(where_); }
    WARPLINE_DEVICE Iterator& operator++() {
      --remaining_;
      return *this;
    }
    WARPLINE_DEVICE bool operator!=(Sentinel) const { return remaining_ > 0; }

   private:
    End* end_;
    int remaining_;
    [[no_unique_address]] SourceLine where_;
  };

  WARPLINE_DEVICE RingRange(End& end, int count, SourceLine where)
      : end_(&end), count_(count), where_(where) {}
  WARPLINE_DEVICE Iterator begin() const { return Iterator(*end_, count_, where_); }
  WARPLINE_DEVICE Sentinel end() const { return {}; }

 private:
  End* end_;
  int count_;
  [[no_unique_address]] SourceLine where_;
};

/// Unrolled by the ring's stages: inside `body` the stage is a constant, its addresses and
/// descriptors fold, and the parity changes once per turn. A loop that starts where the last one
/// ended enters in mid-turn; for the first loop of a kernel the compiler sees that it starts at
/// stage 0 and drops that part.
template <class End, class Body>
WARPLINE_DEVICE void unrolled_ring_loop(End& end, int count, Body& body, SourceLine where) {
  constexpr int stages = End::stages;
  const auto step = [&](auto stage) {
    isa::at_line(where);
    end.await(stage, end.position_.parity);
    typename End::template SlotFor<decltype(stage)> slot(end, stage, where, true);
    body(slot);
  };
  int done = 0;
  if (end.position_.stage != 0) {
    static_for<1, stages>([&](auto stage) {
      if (end.position_.stage == stage && done < count) {
        step(stage);
        ++done;
        end.position_.advance();
      }
    });
  }
  WARPLINE_NO_UNROLL
  for (; done + stages <= count; done += stages) {
    static_for<0, stages>(step);
    end.position_.parity ^= 1;
  }
  static_for<0, stages - 1>([&](auto stage) {
    if (done < count) {
      step(stage);
      ++done;
      end.position_.stage = stage + 1;
    }
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
