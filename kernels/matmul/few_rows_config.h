// Constants of the kernel for few rows of A, for kernel and table.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

struct FewRowsConfig {
  /// The most rows of A: mma.sync's M.
  static constexpr int rows = 16;
  /// Rows of B (columns of D) in a stage: mma.sync's N.
  static constexpr int columns = 8;
  /// Between rows of A, which are copied once: 64 bytes, half of shared memory's banks.
  static constexpr int bank_padding = 32;

  /// Elements of K in a stage.
  int run = 2048;
  int stages = 3;
  /// Elements of A that there is room for, with what lies between its rows.
  int held = 0;
  int warps = 8;
};

}  // namespace warpline::inline WARPLINE_TARGET
