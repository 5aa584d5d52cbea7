// The tables of softmax kernels. Knows neither target.
#pragma once

#include <vector>

#include "rows/line.h"

namespace warpline {

/// Each target's table. Of the GPU's there is one only in builds with GPU kernels.
const std::vector<RowLine>& gpu_softmax_lines();
const std::vector<RowLine>& simulator_softmax_lines();

}  // namespace warpline
