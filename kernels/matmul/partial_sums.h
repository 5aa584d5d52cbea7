// Split K: CTAs that have summed parts of one tile leave their sums in global memory; the one with
// the last part gathers them. Either always in the same order, each part from a place of its own,
// so that results do not depend on who came first; or, if the item says so, the parts add their
// sums to those of one place, in any order: however many they are, one sum is to be read.
#pragma once

#include <cstdint>

#include "matmul/persistent_schedule.h"
#include "warpline/isa/atomic.h"
#include "warpline/isa/memory.h"
#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

/// The workspace. `sums` holds, for each part of a cut tile but the last, or for each cut tile, one
/// fp32 for each register of each thread (WorkItem::first_sums says where): whatever it holds, it
/// is written before it is read. `arrived` has one counter for each cut tile and warpgroup: zero
/// before the kernel, and again after it.
struct PartialSumsMemory {
  float* sums;
  uint32_t* arrived;
};

struct alignas(16) FourSums {
  float values[4];
};

/// One warpgroup's share of the partial sums: `Registers` accumulators per thread, `Warpgroups` in
/// all CTAs of a cluster, of which this is `share`.
template <int Registers, int Warpgroups, class Group>
class PartialSums {
  static_assert(Registers % 4 == 0, "sums travel four at a time");

 public:
  WARPLINE_DEVICE PartialSums(const PartialSumsMemory& memory, const Group& group, int share)
      : memory_(memory), group_(group), share_(share) {}

  /// Before an item of k tiles is multiplied: the place where parts add their sums is made zero in
  /// time, for nothing has to be waited for until then.
  WARPLINE_DEVICE void begin(const WorkItem& item) {
    if (!item.any_order || item.part != 0) {
      return;
    }
    FourSums* const place = sums_of(item, 0);
    WARPLINE_NO_UNROLL
    for (int index = 0; index < Registers / 4; ++index) {
      isa::store_global(place + index * threads_per_warpgroup, FourSums{});
    }
    arrive(item);
  }

  /// Afterwards: whether `accumulator` has the sums of all parts. Otherwise it was left.
  template <int M, int N>
  WARPLINE_DEVICE bool end(Accumulator<M, N>& accumulator, const WorkItem& item) {
    if (item.parts == 1) {
      return true;
    }
    const bool last = item.part + 1 == item.parts;
    if (last) {
      gather(accumulator, item);
    } else if (item.any_order) {
      add(accumulator, item);
    } else {
      leave(accumulator, item);
    }
    return last;
  }

 private:
  /// Leaves the sums of a part for whoever gathers.
  template <int M, int N>
  WARPLINE_DEVICE void leave(Accumulator<M, N>& accumulator, const WorkItem& item) {
    FourSums* const place = sums_of(item, item.part);
    for_each_four(accumulator, [&](int index, const FourSums& four) {
      isa::store_global(place + index * threads_per_warpgroup, four);
    });
    arrive(item);
  }

  /// Adds them to those of the other parts.
  template <int M, int N>
  WARPLINE_DEVICE void add(Accumulator<M, N>& accumulator, const WorkItem& item) {
    wait_for(item, 1);
    FourSums* const place = sums_of(item, 0);
    for_each_four(accumulator, [&](int index, const FourSums& four) {
      isa::add_four_relaxed(place[index * threads_per_warpgroup].values, four.values);
    });
    arrive(item);
  }

  /// Waits for the other parts and adds their sums, first part first.
  template <int M, int N>
  WARPLINE_DEVICE void gather(Accumulator<M, N>& accumulator, const WorkItem& item) {
    // Those who add and the one who made zero; or those who left.
    wait_for(item, item.any_order ? item.parts : item.parts - 1);
    if (group_.leader()) {
      isa::store_release(counter_of(item), uint32_t{0});
    }
    const int sums = item.any_order ? 1 : item.parts - 1;
    WARPLINE_NO_UNROLL
    for (int part = 0; part < sums; ++part) {
      const FourSums* const place = sums_of(item, part);
      FourSums four;
      accumulator.change_registers([&](int index, float value) {
        if (index % 4 == 0) {
          four = isa::load_global(place + index / 4 * threads_per_warpgroup);
        }
        return value + four.values[index % 4];
      });
    }
  }

  template <int M, int N, class Body>
  static WARPLINE_DEVICE void for_each_four(Accumulator<M, N>& accumulator, Body body) {
    FourSums four;
    accumulator.change_registers([&](int index, float value) {
      four.values[index % 4] = value;
      if (index % 4 == 3) {
        body(index / 4, four);
      }
      return value;
    });
  }

  /// The warpgroup's writes are done.
  WARPLINE_DEVICE void arrive(const WorkItem& item) {
    group_.sync();
    if (group_.leader()) {
      isa::add_acquire_release(counter_of(item), uint32_t{1});
    }
  }
  WARPLINE_DEVICE void wait_for(const WorkItem& item, int arrivals) {
    if (group_.leader()) {
      isa::wait_at_least(counter_of(item), static_cast<uint32_t>(arrivals),
                         {.role = "consumer", .barrier = "partial sums", .stage = item.cut_tile});
    }
    group_.sync();
  }

  /// Neighbouring threads' 16 bytes lie side by side.
  WARPLINE_DEVICE FourSums* sums_of(const WorkItem& item, int part) const {
    const int64_t slot = (int64_t{item.first_sums} + part) * Warpgroups + share_;
    return reinterpret_cast<FourSums*>(memory_.sums) +
           slot * (Registers / 4 * threads_per_warpgroup) + group_.thread_rank();
  }
  WARPLINE_DEVICE uint32_t* counter_of(const WorkItem& item) const {
    return memory_.arrived + int64_t{item.cut_tile} * Warpgroups + share_;
  }

  PartialSumsMemory memory_;
  Group group_;
  int share_;
};

}  // namespace warpline::inline WARPLINE_TARGET
