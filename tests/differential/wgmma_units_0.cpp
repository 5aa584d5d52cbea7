// The probes for N = 8, 40, 72, ...
#include "tests/differential/wgmma_unit.h"

namespace warpline::tests::inline WARPLINE_TARGET {
WARPLINE_WGMMA_UNIT(8)
}  // namespace warpline::tests::inline WARPLINE_TARGET
