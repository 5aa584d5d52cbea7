// Handing registers from one role to another (PTX ISA, "setmaxnreg"). Whole warpgroups; counts are
// multiples of 8 in 24..256. The compiler honours it only when the kernel has both launch bounds
// and each role is one branch of a single if/else (else C7508).
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Gives registers back to the CTA's pool until `Registers` per thread remain.
template <int Registers>
WARPLINE_DEVICE void setmaxnreg_decrease(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#else
  simulator::setmaxnreg(Registers, false);
#endif
}

/// Waits until the CTA's pool can raise this warp to `Registers` per thread.
template <int Registers>
WARPLINE_DEVICE void setmaxnreg_increase(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
#else
  simulator::setmaxnreg(Registers, true);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
