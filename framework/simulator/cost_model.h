// How long things take by the virtual clock (Policy::timed). Part of the simulator's public face.
#pragma once

#include <cstdint>

namespace warpline::simulator {

/// Policy::timed: what things take, in cycles of an SM. docs/timeline.md has the sources. What is
/// not listed takes no time: address arithmetic, branches, waiting for the instruction cache.
struct CostModel {
  /// An instruction of a warp that this simulator sees: arrivals, fences, shuffles, elections.
  std::uint32_t instruction = 4;
  /// From a phase's completion to the waiting warp's next instruction.
  std::uint32_t wake = 24;
  /// The same, at a barrier of the CTA.
  std::uint32_t meet = 24;
  /// From a load's issue to its first bytes, if they are in L2; that much more if they are not.
  /// What these multiprocessors load for the first time is in L2 but for one load in `l2_reuse`:
  /// the others of the chip need the same data at about the same time. 1: nobody else does.
  std::uint32_t load_latency = 500;
  std::uint32_t dram_latency = 300;
  std::uint32_t l2_reuse = 8;
  /// Into one SM's shared memory.
  double load_bytes_per_cycle = 64;
  /// One SM's share of the memory: 4.8 TB/s for 132 SMs at 1.755 GHz.
  double dram_bytes_per_cycle = 20.7;
  /// One SM's stores. A warp goes on while the queue holds less than `store_queue` cycles of them.
  double store_bytes_per_cycle = 64;
  std::uint32_t store_queue = 64;
  std::uint32_t store_issue = 100;
  std::uint32_t store_latency = 500;
  /// From the last cycle of a multiply to the end of the wait for it.
  std::uint32_t multiply_latency = 32;
  /// From the end of a CTA to the first instruction of the next one in its place; and, once, from
  /// the launch.
  std::uint32_t cta_start = 700;
};

}  // namespace warpline::simulator
