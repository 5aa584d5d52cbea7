// Running a kernel on the simulator for what it finds: these return their reports, where launch
// throws the first.
//
//   const auto found = simulate<MyKernel>({.x = 4}, arguments, {.seed = 7});
//   const auto found = explore_kernel<MyKernel>({.x = 4}, arguments, {.schedules = 300});
//   const auto found = exhaust_kernel<MyKernel>({.x = 1}, arguments);
//
// Kernels that read what they have written must find it as it was each time: use simulator::explore
// with a function that prepares it.
#pragma once

#include "warpline/launch.h"

#if WARPLINE_ON_GPU
#error "warpline/simulate.h is for the simulator: compile this unit with the C++ compiler, not nvcc"
#else

#include "simulator/explore.h"

namespace warpline::inline WARPLINE_TARGET {

/// One schedule. Throws what the kernel throws, and Error for a grid that cannot be; no faults.
template <Kernel K>
simulator::Exploration simulate(isa::Index3 grid, const typename K::Arguments& arguments,
                                const simulator::Options& options = {}) {
  simulator::Exploration found;
  found.schedules = 1;
  found.reports = simulator::reports_of(options, [&](const simulator::Options& how) {
    launch<K>(Stream{.options = how}, grid, arguments);
  });
  return found;
}

/// Many schedules: one report for each cause.
template <Kernel K>
simulator::Exploration explore_kernel(isa::Index3 grid, const typename K::Arguments& arguments,
                                      const simulator::ExploreOptions& options = {}) {
  return simulator::explore(options, [&](const simulator::Options& how) {
    launch<K>(Stream{.options = how}, grid, arguments);
  });
}

/// All schedules of a small kernel, up to the order of steps that do not influence each other.
template <Kernel K>
simulator::Exploration exhaust_kernel(isa::Index3 grid, const typename K::Arguments& arguments,
                                      const simulator::ExhaustOptions& options = {}) {
  return simulator::exhaust(options, [&](const simulator::Options& how) {
    launch<K>(Stream{.options = how}, grid, arguments);
  });
}

}  // namespace warpline::inline WARPLINE_TARGET

#endif
