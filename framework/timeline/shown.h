// What of a large trace is shown. Internal.
#pragma once

#include "timeline/trace.h"

namespace warpline::timeline {

/// The first CTAs (in the order of the tracks) that have at most `most` events together; if even
/// the first has more, its first events.
Trace shown_part(const Trace& trace, std::uint64_t most);

}  // namespace warpline::timeline
