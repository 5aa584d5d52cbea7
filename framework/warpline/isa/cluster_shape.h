// The shape of a cluster.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// CTAs of a cluster in each dimension of the grid.
struct ClusterShape {
  int x = 1;
  int y = 1;
  WARPLINE_HOST_DEVICE constexpr int size() const { return x * y; }
};

}  // namespace warpline::inline WARPLINE_TARGET
