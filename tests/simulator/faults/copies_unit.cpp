#include "tests/simulator/faults/copies.h"
#include "tests/simulator/faults/registry.h"

namespace warpline::tests::inline WARPLINE_TARGET {

std::span<const Fault> copies_faults() {
  return list_faults<CopyNotAwaited, OverwrittenByLoad, LoadOverLoad, ProxyFenceAfterRead,
                     GlobalProxyFence, LoadAtExit, BarrierInitFence, SixteenBytesTooFew,
                     SixteenBytesTooMany>();
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
