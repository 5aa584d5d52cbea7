// Compiled once per target: the table of that target's reductions.
#include "reduction/reduce_units.h"

namespace {

const std::vector<warpline::ReduceLine>& table() {
  using namespace warpline;  // NOLINT(google-build-using-namespace): function scope
  static const std::vector<ReduceLine> lines = [] {
    std::vector<ReduceLine> all;
    add_reduce_sum(all);
    add_reduce_minimum(all);
    add_reduce_maximum(all);
    add_reduce_norm(all);
    return all;
  }();
  return lines;
}

}  // namespace

#if WARPLINE_ON_GPU
const std::vector<warpline::ReduceLine>* warpline_reduce_gpu_lines() { return &table(); }
#else
const std::vector<warpline::ReduceLine>* warpline_reduce_simulator_lines() { return &table(); }
#endif
