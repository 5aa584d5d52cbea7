#include "tests/simulator/faults/pipelines.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> pipelines_faults() {
  return list_faults<ClosedSlot, ForgottenLoad, OneTurnTooFew>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
