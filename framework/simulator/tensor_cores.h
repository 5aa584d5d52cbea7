// Multiplies under way. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "simulator/explorer.h"
#include "simulator/instructions.h"

namespace warpline::simulator {

struct Cta;
struct Thread;

/// Accumulators that belong to the tensor cores: the thread's registers hold poison until it has
/// waited.
struct InFlightAccumulator {
  float* registers;
  std::vector<float> values;
  std::uint64_t last_multiply;  ///< index + 1 of the last multiply that uses them
  std::uint32_t site = 0;       ///< where this thread issued that one
};

/// A registers that a multiply under way still reads, as they were when it was issued.
struct InFlightOperand {
  const std::uint32_t* registers;
  std::array<std::uint32_t, 4> values;
  std::uint64_t multiply;  ///< index + 1
  std::uint32_t site;
};

/// One thread's view of its warpgroup's multiplies.
struct WgmmaThread {
  std::uint64_t issued = 0;
  std::vector<std::uint64_t> groups;  ///< multiplies issued when each group was committed
  bool fenced = false;
  std::vector<std::unique_ptr<InFlightAccumulator>> in_flight;
  std::vector<InFlightOperand> operands;
};

/// One wgmma of a warpgroup: the threads arrive at it one by one.
struct Multiply {
  Wgmma operands;
  unsigned arrived = 0;
  std::array<InFlightAccumulator*, 128> accumulators{};
  std::array<std::array<std::uint32_t, 4>, 128> a_at_issue{};
  Thread* first = nullptr;
  std::uint32_t site = 0;    ///< of the first thread to arrive
  std::uint64_t begins = 0;  ///< Policy::timed, as is the next
  std::uint64_t due = 0;
};

struct Warpgroup {
  Cta* cta = nullptr;
  unsigned first_warp = 0;
  ProcessId process = 0;
  std::uint32_t priority = 0;
  bool complete = false;  ///< whether the CTA has all four warps of it
  std::uint64_t done = 0;
  std::uint64_t queued = 0;         ///< multiplies at which all 128 threads have arrived
  std::deque<Multiply> multiplies;  ///< the first has index `done`
};

/// The tensor cores carry out the warpgroup's oldest multiply.
void advance_multiply(Warpgroup& warpgroup);

}  // namespace warpline::simulator
