// How wgmma finds an operand in shared memory (PTX ISA, "Matrix Descriptor Format").
#pragma once

#include "warpline/isa/shared_address.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Layout codes of the descriptor's bits 62-63.
enum class DescriptorLayout : uint64_t {
  none = 0,
  swizzle_128 = 1,
  swizzle_64 = 2,
  swizzle_32 = 3
};

/// The 64-bit descriptor. Fields hold bytes / 16: start in bits 0-13, leading offset in 16-29,
/// stride offset in 32-45. What the two offsets mean depends on the layout; tile.h derives them.
struct MatrixDescriptor {
  uint64_t bits;

  /// The same operand, starting `bytes` (a multiple of 16) later.
  WARPLINE_DEVICE MatrixDescriptor advanced(uint32_t bytes) const { return {bits + (bytes >> 4)}; }
};

WARPLINE_DEVICE MatrixDescriptor make_descriptor(uint32_t address, uint32_t leading_bytes,
                                                 uint32_t stride_bytes, DescriptorLayout layout) {
  return {static_cast<uint64_t>((address & 0x3ffff) >> 4) |
          static_cast<uint64_t>((leading_bytes & 0x3ffff) >> 4) << 16 |
          static_cast<uint64_t>((stride_bytes & 0x3ffff) >> 4) << 32 |
          static_cast<uint64_t>(layout) << 62};
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
