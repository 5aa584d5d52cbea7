// The probes for N = 16, 48, 80, ...
#include "tests/differential/wgmma_unit.h"

namespace warpline::tests::inline WARPLINE_TARGET {
WARPLINE_WGMMA_UNIT(16)
}  // namespace warpline::tests::inline WARPLINE_TARGET
