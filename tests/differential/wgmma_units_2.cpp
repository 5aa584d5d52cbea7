// The probes for N = 24, 56, 88, ...
#include "tests/differential/wgmma_unit.h"

namespace warpline::tests::inline WARPLINE_TARGET {
WARPLINE_WGMMA_UNIT(24)
}  // namespace warpline::tests::inline WARPLINE_TARGET
