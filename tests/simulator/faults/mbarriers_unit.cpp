#include "tests/simulator/faults/mbarriers.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> mbarriers_faults() {
  return list_faults<BarrierAlignment, BarrierNotInitialised, BarrierInitialisedTwice,
                     BarrierOverwritten, BarrierInvalidatedInUse, BarrierInitRace,
                     BarrierCountRange, TransactionRange, CopyWithoutBarrier>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
