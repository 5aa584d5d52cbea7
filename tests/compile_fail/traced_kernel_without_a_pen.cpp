// expect: Unknown symbol 'warpline_trace_left_needs_launch_or_untraced_kernel'
// compiler: nvcc
//
// In a build that records timelines, a kernel that launch does not start says so.
#define WARPLINE_TRACE 1
#include "warpline/isa/wait.h"
#include "warpline/trace.h"

__global__ void bare(warpline::isa::Mbarrier* barriers) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  warpline::untraced_kernel();
#endif
  warpline::isa::wait(barriers[0], 0, {"consumer", "full", 0});
}
