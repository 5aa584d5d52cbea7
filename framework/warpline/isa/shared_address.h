// Addresses within shared memory, as PTX's instructions take them.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Address within this CTA's shared window, as the copy engine, barriers and wgmma use it.
WARPLINE_DEVICE uint32_t shared_address(const void* place) {
#if WARPLINE_ON_GPU
  return static_cast<uint32_t>(__cvta_generic_to_shared(place));
#else
  return simulator::shared_address(place);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
