// What fits on the chip, as constants: kernels refuse at compile time what could not run. The
// checks are types, so that the compiler's message shows the needed and the available number.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// Shared memory that one CTA can have, in bytes (CUDA C++ Programming Guide, compute
/// capability 9.0: 227 KB).
inline constexpr int max_shared_bytes_per_cta = 232448;

/// Shared memory of a multiprocessor in bytes, and what each resident CTA takes beside its own.
inline constexpr int shared_bytes_per_sm = 233472;
inline constexpr int reserved_shared_bytes_per_cta = 1024;

/// Registers of a multiprocessor, and the most that one thread can have.
inline constexpr int registers_per_sm = 65536;
inline constexpr int max_registers_per_thread = 255;

/// Registers that a thread needs beside its accumulators: addresses, loop counters, the epilogue.
inline constexpr int registers_beside_accumulators = 31;
inline constexpr int max_accumulator_registers =
    max_registers_per_thread - registers_beside_accumulators;

template <int NeededBytes, int AvailableBytes = max_shared_bytes_per_cta>
struct FitsSharedMemory {
  static_assert(NeededBytes <= AvailableBytes,
                "shared memory: this kernel needs more bytes than a CTA can have; the numbers are "
                "the arguments of "
                "FitsSharedMemory<needed, available>. Use fewer stages or smaller tiles");
  static constexpr bool value = true;
};

template <int NeededRegisters, int AvailableRegisters = max_accumulator_registers>
struct FitsAccumulators {
  static_assert(
      NeededRegisters <= AvailableRegisters,
      "registers: the accumulators need more registers per thread than it has; the numbers are the "
      "arguments of FitsAccumulators<needed, available>. Use more consumer warpgroups or a smaller "
      "tile");
  static constexpr bool value = true;
};

/// A multiprocessor's four partitions share its registers and warps evenly, and a warp lives in
/// one: ten warps put three on some partition, and each gets a third of its registers at most.
constexpr int partitions_per_sm = 4;

/// The most registers that ptxas gives each thread when `ctas` CTAs of `warps` warps must fit
/// (measured: 168 for two CTAs of five warps; more spill).
constexpr int registers_within_reach(int ctas, int warps) {
  const int warps_in_partition = (ctas * warps + partitions_per_sm - 1) / partitions_per_sm;
  const int registers =
      registers_per_sm / partitions_per_sm / (warps_in_partition * threads_per_warp) / 8 * 8;
  return registers < max_registers_per_thread ? registers : max_registers_per_thread;
}

/// CTAs of this footprint that fit on one multiprocessor together.
constexpr int ctas_per_sm(int shared_bytes, int threads, int registers_per_thread) {
  const int warps = (threads + threads_per_warp - 1) / threads_per_warp;
  int ctas = shared_bytes_per_sm / (shared_bytes + reserved_shared_bytes_per_cta);
  if (ctas > 2048 / threads) {
    ctas = 2048 / threads;
  }
  while (ctas > 0 && registers_within_reach(ctas, warps) < registers_per_thread) {
    --ctas;
  }
  return ctas;
}

}  // namespace warpline::inline WARPLINE_TARGET
