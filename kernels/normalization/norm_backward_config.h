// How the backward pass of a norm spreads a row over threads, and which configuration serves which
// length. Constants, for kernels, tables and plans.
#pragma once

#include "normalization/norm_backward_arguments.h"
#include "warpline/plan.h"

namespace warpline::inline WARPLINE_TARGET {

struct NormBackwardConfig {
  /// Threads of the consumer role.
  int threads = 256;
  /// Threads that share a row: a part of a warp, or all consumers of the CTA (and of its cluster).
  int threads_per_row = 32;
  /// The most columns whose gradients one thread sums up.
  int elements = 16;
  /// Elements of an access: 16 bytes of aligned rows, one of others.
  int vector = 8;
  /// Elements of all inputs in a stage.
  int stage_elements = 8192;
  int stages = 3;
  /// CTAs that share a row, exchanging what they have reduced.
  int cluster = 1;
  int ctas_per_sm = 1;
  /// The weights of a thread's columns stay in registers; else a row's are loaded twice.
  bool holds_weight = true;
  /// The kernel sums up dbias, too; else that is left to a reduction of dy.
  bool bias = true;
  /// For rows that lie AlignedAs one type; else for all, Anywhere.
  bool aligned = false;

  constexpr bool whole_cta() const { return threads_per_row == threads; }
  constexpr int capacity() const { return threads_per_row * elements * cluster; }
};

inline constexpr int norm_backward_inputs = 3;
inline constexpr int norm_backward_tiers = 14;

/// From short rows to long ones: powers of two from 64 to 262,144 elements, and 5,120. A thread has
/// columns, and skips the pieces that a row has not got; so rows of half a kernel's length leave
/// half of its threads idle. A row is read twice out of its stage, which has room for
/// all three inputs' row (or the CTA's part of it). 18 or 17 warps on a multiprocessor have 96
/// registers each: 32 for sums over rows, of 16 columns' two gradients, and 16 for their weights.
/// With twice as many they spilled; 9 to 12 warps, which have 168, take twice as many. For the
/// longest rows that is what 16 CTAs of 512 threads have, so there the 32 are for dweight alone.
constexpr NormBackwardConfig norm_backward_config(int tier, int element_bytes) {
  constexpr NormBackwardConfig shapes[norm_backward_tiers] = {
      {.threads = 512, .threads_per_row = 4},
      {.threads = 512, .threads_per_row = 8},
      {.threads = 512, .threads_per_row = 16},
      {.threads = 512, .threads_per_row = 32},
      {.threads = 256, .threads_per_row = 32, .elements = 32},
      {.threads = 128, .threads_per_row = 128, .ctas_per_sm = 4},
      {.threads = 128, .threads_per_row = 128, .elements = 32, .ctas_per_sm = 2},
      {.threads = 160, .threads_per_row = 160, .elements = 32, .ctas_per_sm = 2},
      {.threads = 512, .threads_per_row = 512},
      {.threads = 512, .threads_per_row = 512, .cluster = 2},
      {.threads = 256, .threads_per_row = 256, .elements = 32, .cluster = 4},
      {.threads = 512, .threads_per_row = 512, .cluster = 8},
      {.threads = 512, .threads_per_row = 512, .cluster = 16},
      {.threads = 512, .threads_per_row = 512, .elements = 32, .cluster = 16},
  };
  NormBackwardConfig config = shapes[tier];
  if (element_bytes == 4 && config.threads == 160) {
    config = shapes[tier + 1];  // there would be room for one stage only
  }
  config.bias = config.capacity() <= norm_backward_bias_capacity;
  config.vector = 16 / element_bytes;
  if (!config.bias && element_bytes == 4) {
    config.threads = config.threads_per_row = 256;  // with 512, two registers were spilled
    config.elements = 64;
  }
  // Stages of 32 KB of short rows; else of a row. Four where there is room: two of them are read,
  // while others are filled.
  config.stage_elements = config.whole_cta()
                              ? config.threads * config.elements * norm_backward_inputs
                              : 32768 / element_bytes;
  config.stages = 196608 / config.ctas_per_sm / (config.stage_elements * element_bytes);
  config.stages = config.stages > 4 ? 4 : config.stages;
  return config;
}

/// Kernels: of each tier for aligned rows, then of some for rows that lie anywhere.
inline constexpr int norm_backward_tiers_anywhere[] = {3, 5, 8, 11, 13};
inline constexpr int norm_backward_kernels = norm_backward_tiers + 5;

constexpr NormBackwardConfig norm_backward_kernel_config(int kernel, int element_bytes) {
  const bool aligned = kernel < norm_backward_tiers;
  NormBackwardConfig config = norm_backward_config(
      aligned ? kernel : norm_backward_tiers_anywhere[kernel - norm_backward_tiers], element_bytes);
  config.aligned = aligned;
  config.vector = aligned ? config.vector : 1;
  config.holds_weight = aligned ? config.bias : config.elements <= 16;  // or they spill
  return config;
}

}  // namespace warpline::inline WARPLINE_TARGET
