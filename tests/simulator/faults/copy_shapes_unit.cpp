#include "tests/simulator/faults/copy_shapes.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> copy_shapes_faults() {
  return list_faults<StageBounds, CopyAlignment, CopySize, CoordinateAlignment, NoTensorMap,
                     TensorMapRank>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
