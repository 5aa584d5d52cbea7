#include "tests/simulator/faults/registry.h"
#include "tests/simulator/faults/warps.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> warps_faults() {
  return list_faults<NamedBarrierNumber, NamedBarrierCount, NamedBarrierTwoCounts,
                     NamedBarrierShared, NamedBarrierShort, RegisterCount, RegistersNotGranted,
                     RegisterLaunch>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
