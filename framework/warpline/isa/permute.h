// Rearranging the bytes of two registers (PTX ISA, "prmt").
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Byte i of the result is byte s of {low, high}, s being the i-th hexadecimal digit of `selector`
/// from the right: 0 to 3 for `low`, 4 to 7 for `high`.
WARPLINE_DEVICE uint32_t permute_bytes(uint32_t low, uint32_t high, uint32_t selector) {
#if WARPLINE_ON_GPU
  return __byte_perm(low, high, selector);
#else
  const uint64_t both = static_cast<uint64_t>(high) << 32 | low;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t source = selector >> (4 * i) & 7;
    result |= static_cast<uint32_t>(both >> (8 * source) & 0xff) << (8 * i);
  }
  return result;
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
