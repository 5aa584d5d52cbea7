// Programmatic dependent launch (PTX ISA: griddepcontrol): a kernel that starts before its
// predecessor on the stream has ended, with LaunchOptions::dependent. The simulator's launches are
// one after the other: nothing to wait for, nothing to start.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Waits until the predecessors have ended and what they have written can be seen. Every thread
/// that touches global memory calls it before it does. Nothing if the launch is not dependent.
WARPLINE_DEVICE void wait_for_predecessors() {
#if WARPLINE_ON_GPU
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A dependent successor may start once every CTA has called this or ended. It still waits for the
/// end of this kernel; what it gains is its own start.
WARPLINE_DEVICE void let_successors_start() {
#if WARPLINE_ON_GPU
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
