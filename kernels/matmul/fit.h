// Whether a kernel of the table can take a call, and the call in the kernel's terms. Knows neither
// target.
#pragma once

#include <string>

#include "matmul/call.h"
#include "matmul/line.h"

namespace warpline {

/// Low bits of the addresses of all problems, or'ed: what the copy engine asks of them.
struct AddressBits {
  unsigned a = 0;
  unsigned b = 0;
  unsigned d = 0;
};
AddressBits address_bits(const MatmulCall& call);

/// A kernel computes D, or D transposed: then its A is the call's B transposed, and its rows are
/// the call's columns.
struct Fit {
  bool exchanged = false;
  MatmulTask task;
  /// Why not, in words; empty if the kernel can.
  std::string obstacle;
  /// What was no obstacle: of several, the one that came farthest says most.
  int passed = 0;
};

/// Splits, raster, limits and workspace of the task are not set.
Fit fit(const MatmulLine& line, const MatmulCall& call, const AddressBits& bits, bool exchanged);

}  // namespace warpline
