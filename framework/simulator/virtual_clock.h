// Policy::timed: when things are over, in virtual cycles. Internal; CostModel (cost_model.h) is for
// users.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "simulator/options.h"

namespace warpline::simulator {

struct CopyTask;
struct Multiply;
struct Warpgroup;

/// When the engines of each multiprocessor are next free, and what a piece of work takes.
class VirtualClock {
 public:
  VirtualClock(const CostModel& costs, unsigned multiprocessors)
      : costs_(costs), engines_(multiprocessors) {}

  const CostModel& costs() const { return costs_; }

  /// The tensor cores of multiprocessor `sm` take the multiply when they are free, in the order of
  /// arrival; returns when they begin, and sets when they are done.
  std::uint64_t multiply(unsigned sm, int columns, bool a_in_registers, std::uint64_t now,
                         std::uint64_t& done);

  /// A load of `bytes` into the shared memory of `sm`; `source` tells what is loaded. Returns when
  /// it has landed.
  std::uint64_t load(unsigned sm, std::uint64_t source, std::uint32_t bytes, std::uint64_t now);

  /// A store has read its shared memory, and then written global memory.
  std::uint64_t store_read(unsigned sm, std::uint32_t bytes, std::uint64_t now);
  std::uint64_t store_written(std::uint64_t read) const { return read + costs_.store_latency; }

  /// Ordinary 32-byte sectors on their way out of the multiprocessor: when this warp can go on.
  std::uint64_t write_through(unsigned sm, std::uint32_t bytes, std::uint64_t now);

  static std::uint64_t cycles_of_multiply(int columns, bool a_in_registers);

 private:
  struct Engines {
    std::uint64_t tensor_free = 0;
    std::uint64_t in_free_256ths = 0;
    std::uint64_t out_free_256ths = 0;
  };
  CostModel costs_;
  std::vector<Engines> engines_;
  std::unordered_set<std::uint64_t> seen_;  ///< what has been loaded before: it is in L2
  std::uint64_t fresh_ = 0;
  std::uint64_t dram_free_256ths_ = 0;
};

}  // namespace warpline::simulator
