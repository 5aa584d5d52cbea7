// Brings in the simulator's instruction calls, and nothing on the GPU. Only isa headers include it.
#pragma once

#include <cstdint>

#include "warpline/source_line.h"
#include "warpline/target.h"

#if WARPLINE_ON_GPU
#include <cuda/ptx>
#else
#include "simulator/instructions.h"
#endif
