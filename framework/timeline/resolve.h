// What a trace does not say itself, but implies: which stage a load or multiply belongs to, and, on
// the GPU, when the engines worked.
#pragma once

#include "timeline/trace.h"

namespace warpline::timeline {

/// Gives loads, releases and multiplies the stage and barrier name that the waits for the same
/// barrier carry. On the GPU, adds the engines' tracks: a load ends where the first wait for it
/// ends, a multiply where the first wait that covers it ends. Sorts tracks by SM, CTA, engine and
/// warp. Everything else here expects a resolved trace; a second call changes nothing.
void resolve(Trace& trace);

}  // namespace warpline::timeline
