#include "tests/simulator/faults/registry.h"
#include "tests/simulator/faults/rings.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> rings_faults() {
  return list_faults<RingStartsAtParity0, RingNoWaitForFull, RingNoWaitForEmpty,
                     RingReleasedBeforeRead, RingNotReleased, RingOneTileLessRead,
                     RingNotDrained>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
