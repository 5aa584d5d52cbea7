// The ladder's kernels that are built in.
#pragma once

#include <vector>

#include "matmul/catalog.h"

namespace ladder {

const std::vector<warpline::MatmulKernel>& gpu_kernels();
const std::vector<warpline::MatmulKernel>& simulator_kernels();

}  // namespace ladder
