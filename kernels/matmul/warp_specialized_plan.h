// The configurations of the warp-specialised matmul, and which of them fit the chip. Constants, for
// the kernel, for command lines and for tables.
#pragma once

#include <string>

#include "matmul/loop_form.h"
#include "warpline/pipeline_phase.h"
#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

struct WarpSpecializedConfig {
  /// Two stages leave room for two CTAs on a multiprocessor, which is worth more than a deeper ring
  /// (docs/measurements.md).
  int stages = 2;
  int block_m = 128;
  int block_n = 128;
  int block_k = 64;
  Release release = Release::per_warp;
  LoopForm loop = LoopForm::range;
  /// N and K as compile-time constants; 0 takes them at run time.
  int static_n = 0;
  int static_k = 0;
};

struct WarpSpecializedPlan {
  int shared_bytes;
  int accumulator_registers;
  int ctas_per_sm;

  constexpr bool fits() const {
    return shared_bytes <= max_shared_bytes_per_cta &&
           accumulator_registers <= max_accumulator_registers;
  }
};

/// What one CTA needs: stages of both tiles and two barriers for each stage, padded to the tiles'
/// alignment.
constexpr WarpSpecializedPlan plan_warp_specialized(const WarpSpecializedConfig& config) {
  const int row_bytes = config.block_k * 2;
  const int alignment = 8 * (row_bytes >= 128 ? 128 : row_bytes);
  const int tiles = (config.block_m + config.block_n) * row_bytes * config.stages;
  const int barriers = 2 * 8 * config.stages;
  const int shared_bytes = (tiles + barriers + alignment - 1) / alignment * alignment;
  const int accumulators = config.block_m * config.block_n / threads_per_warpgroup;
  constexpr int threads = threads_per_warpgroup + threads_per_warp;
  // Two CTAs on a multiprocessor overlap one's epilogue with the other's loop, where both fit.
  const int resident =
      ctas_per_sm(shared_bytes, threads, accumulators + registers_beside_accumulators);
  return {.shared_bytes = shared_bytes,
          .accumulator_registers = accumulators,
          .ctas_per_sm = resident >= 2 ? 2 : 1};
}

/// Why the configuration cannot run, with the needed and the available number; empty if it can.
inline std::string refusal(const WarpSpecializedConfig& config) {
  const WarpSpecializedPlan plan = plan_warp_specialized(config);
  if (plan.accumulator_registers > max_accumulator_registers) {
    return "a " + std::to_string(config.block_m) + " x " + std::to_string(config.block_n) +
           " tile needs " + std::to_string(plan.accumulator_registers) +
           " accumulator registers per thread of one consumer warpgroup, available are " +
           std::to_string(max_accumulator_registers);
  }
  if (plan.shared_bytes > max_shared_bytes_per_cta) {
    return std::to_string(config.stages) + " stages need " + std::to_string(plan.shared_bytes) +
           " bytes of shared memory, available are " + std::to_string(max_shared_bytes_per_cta);
  }
  return {};
}

}  // namespace warpline::inline WARPLINE_TARGET
