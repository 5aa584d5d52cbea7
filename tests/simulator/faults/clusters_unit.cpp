#include "tests/simulator/faults/clusters.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> clusters_faults() {
  return list_faults<ClusterBounds, StoreNeedsCluster, ClusterInitFence, ClusterBarrierTurns,
                     ArrivalAfterExit, MulticastAfterExit, SenderLeaves, RemoteArrivalScope>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
