// The kernels without timelines, whatever the build is configured to.
#undef WARPLINE_TRACE
#define WARPLINE_TRACE 0
#define KERNELS plain_kernels
#include "tests/timeline/on_gpu/kernels_unit.h"
