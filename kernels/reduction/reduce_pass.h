// The host side of every reduction: a kernel's arguments as a pass, and results in memory.
#pragma once

#include <algorithm>
#include <new>

#include "reduction/reduce_line.h"
#include "warpline/describe.h"
#include "warpline/occupancy.h"

namespace warpline::inline WARPLINE_TARGET {

template <class Kernel>
void launch_pass(const Place& place, const ReducePass& pass) {
#if WARPLINE_ON_GPU
  const Stream stream = place.stream();
#else
  const Stream stream{.options = place.options()};
#endif
  // The kernel waits before it touches memory: what begins earlier is its start alone.
  warpline::launch<Kernel>(
      stream, {pass.ctas, 1, 1},
      *reinterpret_cast<const typename Kernel::Arguments*>(pass.arguments.bytes),
      {.dependent = true});
}

/// As many CTAs as are resident, or as there are items to do.
template <class Kernel>
ReducePass make_pass(const typename Kernel::Arguments& arguments, int64_t items) {
  using Arguments = typename Kernel::Arguments;
  static_assert(sizeof(Arguments) <= sizeof(ReducePass::Arguments));
  ReducePass pass;
  new (pass.arguments.bytes) Arguments(arguments);
  pass.ctas = static_cast<unsigned>(std::min<int64_t>(resident_ctas<Kernel>(), items));
  pass.launch = launch_pass<Kernel>;
  return pass;
}

inline void require_memory(const ReduceTask& task) {
  if (task.extents.reduced > 0) {
    isa::require_output_pointer(task.x, "x");
  }
  isa::require_output_pointer(task.out, "out");
}

}  // namespace warpline::inline WARPLINE_TARGET
