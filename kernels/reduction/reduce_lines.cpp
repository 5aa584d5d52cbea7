// Compiled once per target: the table of that target's reductions.
#include "reduction/reduce_units.h"
#include "warpline/isa/device_memory.h"

namespace {

const warpline::ReduceTable& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const ReduceTable all = [] {
    ReduceTable made{.allocate = isa::allocate_zeros, .release = isa::free_memory};
    add_reduce_sum(made.lines);
    add_reduce_minimum(made.lines);
    add_reduce_maximum(made.lines);
    add_reduce_norm(made.lines);
    add_reduce_argmax(made.lines);
    add_reduce_columns<false>(made.lines);
    add_reduce_columns<true>(made.lines);
    add_reduce_strided(made.lines);
    return made;
  }();
  return all;
}

}  // namespace

#if WARPLINE_ON_GPU
const warpline::ReduceTable* warpline_reduce_gpu_lines() { return &table(); }
#else
const warpline::ReduceTable* warpline_reduce_simulator_lines() { return &table(); }
#endif
