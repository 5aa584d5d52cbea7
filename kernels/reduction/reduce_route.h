// Which kernels a reduction takes, and how it is cut up for them. Knows neither target.
#pragma once

#include <cstddef>

#include "reduction/reduce_line.h"

namespace warpline::reduction {

struct Route {
  ReduceShape shape = ReduceShape::strided;
  ReduceTask first;
  /// Of accumulators that the first has left in the workspace, if it has several segments.
  ReduceTask second;
  bool two = false;
  std::size_t workspace_bytes = 0;
};

/// `task` is the whole reduction, its extents not yet cut up.
Route route(const ReduceTask& task);

}  // namespace warpline::reduction
