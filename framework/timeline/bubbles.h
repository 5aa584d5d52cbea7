// Why the tensor cores had nothing to do. Internal.
#pragma once

#include "timeline/summary.h"

namespace warpline::timeline {

/// Fills in the summary's bubbles. `elapsed` is the multiprocessors' time, summed.
void find_bubbles(const Trace& trace, std::uint64_t elapsed, Summary& summary);

}  // namespace warpline::timeline
