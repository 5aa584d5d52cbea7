// Split K: CTAs that have summed parts of one tile leave their sums in global memory; one of them
// gathers them, always in the same order, so that results do not depend on who came first.
#pragma once

#include <cstdint>

#include "matmul/persistent_schedule.h"
#include "warpline/isa/atomic.h"
#include "warpline/isa/memory.h"
#include "warpline/mma.h"

namespace warpline::inline WARPLINE_TARGET {

/// The workspace. `sums` holds, for each part of a cut tile but the last, one fp32 for each
/// register of each thread (WorkItem::first_sums says where); `arrived` one counter for each cut
/// tile and warpgroup: zero before the kernel, and again after it.
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

  /// Leaves the sums of a part for whoever gathers.
  template <int M, int N>
  WARPLINE_DEVICE void leave(Accumulator<M, N>& accumulator, const WorkItem& item) {
    FourSums* const place = sums_of(item, item.part);
    FourSums four;
    accumulator.change_registers([&](int index, float value) {
      four.values[index % 4] = value;
      if (index % 4 == 3) {
        isa::store_global(place + index / 4 * threads_per_warpgroup, four);
      }
      return value;
    });
    group_.sync();
    if (group_.leader()) {
      isa::add_acquire_release(counter_of(item), uint32_t{1});
    }
  }

  /// Waits for the other parts and adds their sums, first part first.
  template <int M, int N>
  WARPLINE_DEVICE void gather(Accumulator<M, N>& accumulator, const WorkItem& item) {
    uint32_t* const counter = counter_of(item);
    if (group_.leader()) {
      isa::wait_at_least(counter, static_cast<uint32_t>(item.parts - 1),
                         {.role = "consumer", .barrier = "partial sums", .stage = item.cut_tile});
      isa::store_release(counter, uint32_t{0});
    }
    group_.sync();
    WARPLINE_NO_UNROLL
    for (int part = 0; part < item.parts - 1; ++part) {
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

 private:
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
