#include "tests/simulator/faults/phases.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> phases_faults() {
  return list_faults<TooManyArrivals, ParityRange, LappedWait, HalfPhaseAtExit, UndrainedSignal,
                     CountByHand, PollsForEver>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
