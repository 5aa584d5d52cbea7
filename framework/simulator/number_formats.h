// 16-bit floating point to fp32, and fp32 to 8 bits.
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

/// e4m3, rounded to nearest, ties to even, 448 at most; NaN is 0x7f. Normal numbers begin with
/// 2^-6, below them steps are of 2^-9.
inline std::uint8_t float_to_e4m3(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>(bits >> 24 & 0x80);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return 0x7f;
  }
  if (magnitude >= std::bit_cast<std::uint32_t>(448.0f)) {
    return sign | 0x7e;
  }
  if (magnitude < std::bit_cast<std::uint32_t>(0x1p-6f)) {
    // At 2^14, steps of fp32 are of 2^-9: the addition rounds.
    const float sum = std::bit_cast<float>(magnitude) + 0x1p14f;
    return sign | static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(sum) & 0xff);
  }
  const std::uint32_t rounded = magnitude + 0x7ffff + (magnitude >> 20 & 1);
  return sign | static_cast<std::uint8_t>((rounded >> 20) - ((127 - 7) << 3));
}

}  // namespace warpline::simulator
