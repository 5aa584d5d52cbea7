// The tables of normalization kernels. Knows neither target.
#pragma once

#include <vector>

#include "normalization/norm_gradients_line.h"
#include "rows/line.h"

extern "C" {
/// Each target's table, whichever a program is linked with.
const std::vector<warpline::RowLine>* warpline_norm_gpu_lines();
const std::vector<warpline::RowLine>* warpline_norm_simulator_lines();
const std::vector<warpline::RowLine>* warpline_norm_backward_gpu_lines();
const std::vector<warpline::RowLine>* warpline_norm_backward_simulator_lines();
const warpline::NormGradientsLine* warpline_norm_gradients_gpu_line();
const warpline::NormGradientsLine* warpline_norm_gradients_simulator_line();
}
