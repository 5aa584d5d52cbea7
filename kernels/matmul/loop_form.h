// The two forms of a loop over a ring, as a choice of kernels.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// Whether the loop over k is unrolled by the number of stages (stage indices become constants) or
/// a plain range.
enum class LoopForm { unrolled, range };

}  // namespace warpline::inline WARPLINE_TARGET
