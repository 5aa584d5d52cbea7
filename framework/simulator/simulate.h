// Running a grid of CTAs on the simulator. warpline::launch (launch.h) calls it for kernels; tests
// call it for sequences of single instructions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "simulator/instructions.h"
#include "simulator/report.h"

namespace warpline::simulator {

struct Launch {
  std::string kernel = "kernel";
  Index3 grid = {};
  Index3 cluster = {};
  unsigned threads = 32;
  std::size_t shared_bytes = 0;
  /// Registers per thread at launch; 0 if the kernel never asks for others.
  int registers = 0;
  /// CTAs that fit on one multiprocessor for certain: all that is known where `registers` is 0.
  int min_ctas_per_sm = 1;
};

struct Statistics {
  std::uint64_t steps = 0;
  std::uint64_t copies = 0;
  std::uint64_t multiplies = 0;
  std::uint64_t cycles = 0;  ///< Policy::timed: when the last thread, copy or multiply ended
};

/// Runs `body(shared memory of its CTA)` in every thread of the grid. Throws SimulationFault for
/// the first fault, and whatever the body throws. Deterministic from the options.
Statistics simulate(const Launch& launch, const Options& options,
                    const std::function<void(void*)>& body);

}  // namespace warpline::simulator
