// Compiled once per target: the table of that target's reductions.
#include "reduction/reduce_units.h"

namespace warpline {

#if WARPLINE_ON_GPU
const std::vector<ReduceLine>& gpu_reduce_lines() {
#else
const std::vector<ReduceLine>& simulator_reduce_lines() {
#endif
  static const std::vector<ReduceLine> table = [] {
    std::vector<ReduceLine> lines;
    add_reduce_sum(lines);
    add_reduce_minimum(lines);
    add_reduce_maximum(lines);
    add_reduce_norm(lines);
    return lines;
  }();
  return table;
}

}  // namespace warpline
