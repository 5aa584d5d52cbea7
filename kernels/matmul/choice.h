// Which kernel takes a call: one that was measured for it or its like, else the one that the model
// (cost.h) expects to be fastest. Knows neither target.
#pragma once

#include <string>
#include <vector>

#include "matmul/call.h"
#include "matmul/line.h"

namespace warpline {

struct MatmulChoice {
  const MatmulLine* line = nullptr;
  bool exchanged = false;
  int splits = 1;
  /// Splits are added up in the order in which they come.
  bool any_order = false;
  int raster = 1;
  /// In a line: the kernel, its split and raster, and why.
  std::string reason;
};

/// Among `lines`, or those that options name; splits and raster as options say. Throws Error, with
/// what is in the way, if no kernel takes the call. M, N, K and problems are at least 1.
MatmulChoice choose_kernel(const std::vector<MatmulLine>& lines, const MatmulCall& call,
                           const MatmulOptions& options, int multiprocessors);

}  // namespace warpline
