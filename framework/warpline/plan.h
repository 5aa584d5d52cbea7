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

/// CTAs of this footprint that fit on one multiprocessor together.
constexpr int ctas_per_sm(int shared_bytes, int threads, int registers_per_thread) {
  const int by_shared = shared_bytes_per_sm / (shared_bytes + reserved_shared_bytes_per_cta);
  const int by_registers = registers_per_sm / (threads * registers_per_thread);
  const int by_threads = 2048 / threads;
  const int smaller = by_shared < by_registers ? by_shared : by_registers;
  return smaller < by_threads ? smaller : by_threads;
}

}  // namespace warpline::inline WARPLINE_TARGET
