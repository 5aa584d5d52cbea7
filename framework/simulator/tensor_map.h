// What the simulator's copy engine finds in the 128 bytes of a tensor map. make_tensor_map.h writes
// it.
#pragma once

#include <cstdint>

namespace warpline::simulator {

struct TensorMapData {
  static constexpr std::uint32_t valid = 0x57a7e03a;
  std::uint32_t magic = 0;
  std::uint8_t rank = 0;
  std::uint8_t element_bytes = 0;
  std::uint16_t span_bytes = 16;  ///< of the swizzle; 16: none
  unsigned char* base = nullptr;
  std::uint64_t extent[5] = {1, 1, 1, 1, 1};  ///< elements, innermost first
  std::uint64_t stride[5] = {0, 0, 0, 0, 0};  ///< bytes; stride[0] is the element's size
  std::uint16_t box[5] = {1, 1, 1, 1, 1};     ///< elements
};
static_assert(sizeof(TensorMapData) <= 128);

}  // namespace warpline::simulator
