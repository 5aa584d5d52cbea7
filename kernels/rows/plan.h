// Calls on rows made ready: a line of a table, its encoded arguments, its grid. Knows neither
// target.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rows/line.h"

namespace warpline {

/// Everything checked, chosen and encoded, so that run() only launches. It keeps addresses, not
/// data. run() may be called from several threads and captured in CUDA graphs.
class PreparedRows {
 public:
  /// Queues it (GPU) or runs it (simulator). The place must be of the kind that the plan was made
  /// for, its stream of the same device; throws Error.
  void run(const Place& place) const;
  void operator()(const Place& place) const { run(place); }

  /// The chosen kernel's roles, barriers and shared memory; empty where there is nothing to do.
  std::string describe() const;
  /// The chosen kernel's longest row, elements of an access, CTAs of a cluster and grid, in a line.
  std::string choice() const;

  /// The chosen kernel; null where there is nothing to do.
  const RowLine* line() const;
  /// CTAs, or clusters of them, that take rows in turn.
  unsigned groups() const;

  struct State;
  explicit PreparedRows(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

namespace rows {

/// An operand of a call: what it is called, what it is, and whether the kernel writes it.
struct Operand {
  const char* name;
  Matrix matrix;
  bool written = false;
  /// Inputs that go through the ring; others are read or written from registers.
  bool streamed = false;
  /// One row for all (weights), or rows used in turn (a mask).
  bool broadcast = false;
  /// `columns` neighbouring numbers of `type` for each row, which are one (a loss, an index).
  bool per_row = false;
};

/// Takes the first line that serves the operands and encodes it. `operands` begins with the
/// streamed ones, whose first gives type and extents; operands without an address are left out by
/// the caller. Throws Error naming operand, value and rule.
PreparedRows prepare(const Place& place, const std::vector<RowLine>& table, const char* call,
                     const std::vector<Operand>& operands, const void* op);

}  // namespace rows

}  // namespace warpline
