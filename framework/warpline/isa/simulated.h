// Brings in the simulator's instruction calls (on the GPU nothing), and the line that they belong
// to. Only isa headers include it.
#pragma once

#include <cstdint>

#include "warpline/source_line.h"
#include "warpline/target.h"

#if !WARPLINE_ON_GPU
#include "simulator/instructions.h"
#endif

namespace warpline::inline WARPLINE_TARGET::isa {

/// The user's line that the following instructions belong to.
WARPLINE_DEVICE void at_line(SourceLine where) {
#if WARPLINE_ON_GPU
  (void)where;
#else
  if (where.file != nullptr) {
    simulator::at_line(where.file, where.line);
  }
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
