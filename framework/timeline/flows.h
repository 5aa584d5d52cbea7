// Who ended whose wait: arrows in the pictures. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/trace.h"

namespace warpline::timeline {

/// From the load (or the arrival) that completed a barrier's phase to a wait that it ended.
struct Flow {
  std::uint32_t from_track;
  std::uint32_t from_event;
  std::uint32_t to_track;
  std::uint32_t to_event;
};

/// Of a resolved trace: one for each wait that had to wait, and whose cause was recorded.
std::vector<Flow> flows_of(const Trace& trace);

}  // namespace warpline::timeline
