// What events and tracks are called in all outputs. Internal.
#pragma once

#include <string>

#include "timeline/trace.h"

namespace warpline::timeline {

/// "consumer, warp 4", "copy engine", "tensor cores, warps 0-3".
std::string label_of(const Trace& trace, const Track& track);

/// "wait full[2]", "load[2]", "multiply[0]", the user's name.
std::string label_of(const Trace& trace, const Event& event);

}  // namespace warpline::timeline
