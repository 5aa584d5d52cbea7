#include "tests/simulator/faults/atomics.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> atomics_faults() {
  return list_faults<AtomicAlignment, FlagWithoutRelease, OrdinaryWriteOfSum>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
