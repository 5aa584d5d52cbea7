#include "tests/simulator/faults/multiplies.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> multiplies_faults() {
  return list_faults<ReleasedBeforeWait, OperandRewritten, ReleaseForWarpgroup, MultiplyTooEarly,
                     ProxyFenceBeforeMultiply, MultiplyAtExit>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
