// What each version needs of a multiprocessor in each configuration. The same constants prune the
// space (space.h) and are compared with the kernels (host.h).
#pragma once

#include "samples/ladder/config.h"
#include "warpline/plan.h"

namespace ladder::inline WARPLINE_TARGET {

/// What tells the versions apart, for arithmetic.
struct VersionFacts {
  int warps;
  /// Warpgroups that share a tile's rows.
  int warpgroups;
  /// A ring has one barrier (loaded) or two (full and empty) for each stage; 0: no ring, one stage.
  int ring_barriers;
  bool rasters;
};

inline constexpr VersionFacts facts[versions] = {
    {.warps = 4, .warpgroups = 1, .ring_barriers = 0},
    {.warps = 4, .warpgroups = 1, .ring_barriers = 0},
    {.warps = 4, .warpgroups = 1, .ring_barriers = 1},
    {.warps = 5, .warpgroups = 1, .ring_barriers = 2},
    {.warps = 5, .warpgroups = 1, .ring_barriers = 2, .rasters = true},
    {.warps = 9, .warpgroups = 2, .ring_barriers = 2, .rasters = true},
};

struct LadderPlan {
  int shared_bytes;
  int accumulator_registers;
  /// What a thread can have, beside what it needs for other things.
  int available_registers;

  constexpr bool fits() const {
    return shared_bytes <= max_shared_bytes_per_cta && accumulator_registers <= available_registers;
  }
};

constexpr LadderPlan plan(int version, const LadderConfig& config) {
  const VersionFacts& is = facts[version];
  const int row_bytes = config.block_k * 2;
  const int alignment = 8 * (row_bytes >= 128 ? 128 : row_bytes);
  const int tiles = (config.block_m + config.block_n) * row_bytes * config.stages;
  const int barriers = is.ring_barriers == 0 ? 1 : is.ring_barriers * config.stages;
  const int shared_bytes = (tiles + 8 * barriers + alignment - 1) / alignment * alignment;
  return {
      .shared_bytes = shared_bytes,
      .accumulator_registers = config.block_m * config.block_n / (128 * is.warpgroups),
      .available_registers = registers_within_reach(1, is.warps) - registers_beside_accumulators};
}

/// Whether the version exists in this configuration: the form that it has, then what the chip has.
constexpr bool survives(int version, const LadderConfig& config) {
  const bool one_stage = facts[version].ring_barriers == 0;
  if (one_stage != (config.stages == 1)) {
    return false;
  }
  if (version == 0 && (config.block_m != 128 || config.block_n != 128)) {
    return false;  // its four warps have 64 x 64 each
  }
  if (config.block_m < 64 * facts[version].warpgroups) {
    return false;  // wgmma multiplies 64 rows
  }
  return plan(version, config).fits();
}

}  // namespace ladder::inline WARPLINE_TARGET
