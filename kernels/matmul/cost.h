// How long a kernel should take for a task: a model of waves, tensor cores, L2 and memory. Host
// code; knows neither target.
#pragma once

#include "matmul/line.h"

namespace warpline {

/// What the model knows of the H200. Cycles are the multiprocessors'; rates per multiprocessor.
/// Fitted to the winners of the first sweep (measured_choices.inc): by these figures the winners
/// take 1.8 % longer than the model's own choices, by the first guesses they took 4.9 %.
struct MatmulCosts {
  double clock_ghz = 1.6;
  /// 16-bit multiplies and additions at their peak (H100 whitepaper: 1024 FMA per cycle for dense
  /// fp16 is 4096 FLOP with 4 tensor cores).
  double flop_per_cycle = 4096;
  /// What the best main loop reaches of it, and what each k tile costs beside: barriers, issue.
  double tensor_share = 0.95;
  double k_tile_cycles = 53;
  /// The same for clusters, whose CTAs wait for each other: of equals, those without win (sweep).
  double cluster_k_tile_cycles = 66;
  /// A and B from shared memory, for narrow tiles the limit: reached of 128 bytes per cycle.
  double shared_bytes_per_cycle = 100;
  /// From L2, bytes that are multicast counted once; from memory; into one multiprocessor.
  double l2_bytes_per_cycle = 66;
  double memory_bytes_per_cycle = 56;
  double memory_gb_per_second = 4100;
  /// The same in long stretches of rows (few_rows.h); launch, first loads and the end there, and
  /// the rate at which every CTA gets all of A.
  double stream_gb_per_second = 4500;
  double stream_launch_us = 5.9;
  double stream_a_bytes_per_cycle = 24;
  double l2_bytes = 30e6;
  /// Launch, first loads, and the end of the kernel.
  double launch_us = 2.5;
  double first_load_cycles = 1100;
  /// A tile's way out: fixed, and per element of a thread, by copies and by threads.
  double leave_cycles = 760;
  double leave_element_cycles = 3.5;
  double threads_leave_element_cycles = 14;
  /// Loads by threads: their rate, whatever the address.
  double threads_fill_bytes_per_cycle = 16;
  /// Partial sums: until one CTA sees another's, and their rate.
  double hand_over_cycles = 6000;
  double partial_bytes_per_cycle = 32;
  /// Sums that are added up in L2 instead of left there. Not measured here yet: a guess.
  double added_bytes_per_cycle = 16;
  /// The same within a cluster, from one CTA to another. Not measured here: after published
  /// microbenchmarks of the H800 (latency of 180 to 210 cycles, 13 to 16 bytes per cycle and
  /// multiprocessor), with two barriers' waits.
  double cluster_hand_over_cycles = 600;
  double cluster_bytes_per_cycle = 14;
};

/// Bytes from and to memory: with every group of tile rows B comes again, and with every wave of a
/// group A, unless L2 holds them. `task.raster` is the rows of a group.
double memory_bytes(const MatmulLine& line, const MatmulTask& task, int multiprocessors,
                    const MatmulCosts& costs = {});

struct MatmulEstimate {
  double microseconds = 0;
  /// What takes the time.
  const char* limit = "";
};

/// Of a task with splits set, which moves `bytes` (memory_bytes).
MatmulEstimate estimate(const MatmulLine& line, const MatmulTask& task, int multiprocessors,
                        double bytes, const MatmulCosts& costs = {});

}  // namespace warpline
