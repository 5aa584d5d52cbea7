// The tables of normalization kernels. Knows neither target.
#pragma once

#include <vector>

#include "rows/line.h"

namespace warpline {

enum class NormKind : std::uint8_t { rms, layer };

/// Each target's table. Of the GPU's there is one only in builds with GPU kernels.
const std::vector<RowLine>& gpu_norm_lines(NormKind kind);
const std::vector<RowLine>& simulator_norm_lines(NormKind kind);

}  // namespace warpline
