#include "tests/simulator/faults/ordinary.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> ordinary_faults() {
  return list_faults<OrdinaryRace, GlobalRace, ShuffleForSyncwarp, ClusterRace, UninitialisedRead,
                     SharedBounds, AccessAlignment, ShuffleLane, LanesDisagree, LaneMissing,
                     HalfWarpBarrier, MatrixRow>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
