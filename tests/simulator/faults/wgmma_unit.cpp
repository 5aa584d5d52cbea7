#include "tests/simulator/faults/registry.h"
#include "tests/simulator/faults/wgmma.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> wgmma_faults() {
  return list_faults<AccumulatorWritten, AccumulatorRead, OperandRegisterInFlight,
                     WgmmaFenceMissing, AccumulatorShape, WarpgroupDisagrees, WarpgroupNotConverged,
                     WarpgroupAlignment, OperandSwizzle, OperandOutsideStage, OperandSlice>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
