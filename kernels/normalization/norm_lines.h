// The tables of normalization kernels. Knows neither target.
#pragma once

#include <vector>

#include "rows/line.h"

namespace warpline {

enum class NormKind : std::uint8_t { rms, layer };

}  // namespace warpline

extern "C" {
/// Each target's tables, whichever a program is linked with.
const std::vector<warpline::RowLine>* warpline_norm_gpu_lines(warpline::NormKind kind);
const std::vector<warpline::RowLine>* warpline_norm_simulator_lines(warpline::NormKind kind);
}
