// Memory that a launch finds outside of the L2 cache: enough of it to be used in turn.
#pragma once

#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace sample::rows {

/// More than three times the L2 cache passes between two uses of the same memory.
inline constexpr std::size_t cold_bytes = std::size_t{200} << 20;

inline std::size_t rounded_up(std::size_t bytes) { return (bytes + 511) / 512 * 512; }

/// Random bits, of which a block is made once and laid out again and again.
inline void fill_random(const DeviceMemory& memory, std::size_t bytes, bool numbers) {
  const std::size_t block = std::min(bytes, std::size_t{32} << 20);
  std::vector<std::uint16_t> values(block / 2);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (std::uint16_t& value : values) {
    if (numbers) {
      const float real = normal(random);
      std::uint32_t bits;
      std::memcpy(&bits, &real, 4);
      value = static_cast<std::uint16_t>(bits >> 16);  // bf16
    } else {
      value = static_cast<std::uint16_t>(random());
    }
  }
  memory.upload(0, values.data(), block);
  for (std::size_t filled = block; filled < bytes;) {
    const std::size_t more = std::min(filled, bytes - filled);
    memory.duplicate(filled, 0, more);
    filled += more;
  }
}

}  // namespace sample::rows

#endif
