#include "tests/simulator/faults/registry.h"
#include "tests/simulator/faults/stores.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> stores_faults() {
  return list_faults<ProxyFenceBeforeStore, StoredTooEarly, StoreBufferRewritten,
                     StoreRingWaitsTooLate, StoreNotComplete, StoreAtExit, StoreCoordinate>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
