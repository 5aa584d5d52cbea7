// What the simulator's reports need to know about the running thread. No code on the GPU.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// The user's line that the following instructions belong to.
WARPLINE_DEVICE void at_line(SourceLine where) {
#if WARPLINE_ON_GPU
  (void)where;
#else
  simulator::at_line(where.file, where.line);
#endif
}

/// The role that this thread has taken.
WARPLINE_DEVICE void enter_role(const char* name) {
#if WARPLINE_ON_GPU
  (void)name;
#else
  simulator::enter_role(name);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
