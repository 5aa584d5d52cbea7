// The probes for N = 32, 64, 96, ...
#include "tests/differential/wgmma_unit.h"

namespace warpline::tests::inline WARPLINE_TARGET {
WARPLINE_WGMMA_UNIT(32)
}  // namespace warpline::tests::inline WARPLINE_TARGET
