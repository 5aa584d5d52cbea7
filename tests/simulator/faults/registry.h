// All faults of the catalogue.
#pragma once

#include <vector>

#include "tests/simulator/faults/fault.h"

namespace warpline::tests::inline WARPLINE_TARGET {

// Each family is compiled once for each target.
std::span<const Fault> ordinary_faults();
std::span<const Fault> atomics_faults();
std::span<const Fault> mbarriers_faults();
std::span<const Fault> phases_faults();
std::span<const Fault> copies_faults();
std::span<const Fault> copy_shapes_faults();
std::span<const Fault> stores_faults();
std::span<const Fault> multiplies_faults();
std::span<const Fault> wgmma_faults();
std::span<const Fault> warps_faults();
std::span<const Fault> clusters_faults();
std::span<const Fault> rings_faults();
std::span<const Fault> pipelines_faults();

inline std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const auto family :
       {ordinary_faults, atomics_faults, mbarriers_faults, phases_faults, copies_faults,
        copy_shapes_faults, stores_faults, multiplies_faults, wgmma_faults, warps_faults,
        clusters_faults, rings_faults, pipelines_faults}) {
    const std::span<const Fault> faults = family();
    all.insert(all.end(), faults.begin(), faults.end());
  }
  return all;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
