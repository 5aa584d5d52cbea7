// The memory of a checked call's operands: present, aligned, on the device, and the outputs' not
// shared. Knows neither target.
#pragma once

#include <string>

#include "matmul/call.h"

namespace warpline {

/// How errors call a step of the epilogue.
std::string step_name(int index, const EpilogueStep& step);

/// Throws Error. M, N and the problems are at least 1; `with_c` if the first step is beta * C.
void check_memory(const MatmulTarget& target, int device, const MatmulCall& call, bool with_c);

}  // namespace warpline
