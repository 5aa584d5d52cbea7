// How many stages of a CTA's ring are full, over time. Internal.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "timeline/trace.h"

namespace warpline::timeline {

struct Occupancy {
  std::uint32_t cta = 0;
  std::uint32_t stages = 0;
  std::uint64_t end = 0;  ///< of the CTA
  /// From this time on, so many stages hold data that is not used up.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> steps;
};

/// Of a resolved trace. A stage is full from the landing of its last load until its last release,
/// or, where nobody releases, until its next load is issued.
std::vector<Occupancy> occupancies_of(const Trace& trace);

}  // namespace warpline::timeline
