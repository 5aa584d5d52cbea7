// Timing contestants in turns: each timing is one graph of several launches over rotating sets of
// memory, so that neither the host nor the L2 cache decides.
#pragma once

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <cstddef>
#include <functional>
#include <vector>

#include "tensor/place.h"

namespace sample::rows {

/// Queues one launch on a stream, on the given set of memory.
using Launch = std::function<void(CUstream_st* stream, std::size_t set)>;

struct Contestants {
  std::vector<Launch> launches;
  std::size_t sets = 1;
};

/// Median microseconds of one launch of each, from `rounds` rounds in which all take their turn. A
/// timing takes about `milliseconds`.
std::vector<double> microseconds_in_turns(const Contestants& contestants, int rounds,
                                          double milliseconds);

}  // namespace sample::rows

#endif
