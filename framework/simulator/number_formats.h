// 16-bit floating point to fp32.
#pragma once

#include <bit>
#include <cstdint>

namespace warpline::simulator {

inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// IEEE binary16. The scaling trick turns subnormals right without a branch per class.
inline float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000u) {
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x007fffffu));
  }
  const float scaled = std::bit_cast<float>(magnitude) * std::bit_cast<float>((254u - 15u) << 23);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

}  // namespace warpline::simulator
