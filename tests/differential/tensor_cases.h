// Random tensors, boxes and places in shared memory, and what tiled copies make of them by the
// rules that docs/measurements.md has from the H200.
#pragma once

#include <string>
#include <vector>

#include "tests/differential/dice.h"
#include "tests/differential/results.h"
#include "warpline/isa/tensor_map_encode.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// One box of a case.
struct PlacedBox {
  int32_t at[5];
  uint32_t shared;  ///< byte offset from a multiple of 1024
  uint32_t
      round;  ///< loads: index of the barrier; stores: before or after shared memory is rewritten
};

inline constexpr int max_boxes = 6;
inline constexpr uint32_t shared_bytes = 32768;

struct TensorCase {
  std::string name;
  isa::TensorDescription tensor;
  uint32_t box_bytes = 0;
  std::size_t tensor_bytes =
      0;  ///< from the first element to the end of the last row's 16-byte unit
  std::vector<PlacedBox> boxes;
  uint32_t seed = 0;
};

inline uint32_t rounded_up(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Byte offset that the swizzle puts a byte at: 16-byte chunks permuted by the low bits of their
/// 128-byte line.
inline uint32_t swizzled_place(uint32_t address, int span) {
  const uint32_t line = address / 128;
  const uint32_t chunk = address / 16 % 8;
  const uint32_t chunks_in_span = static_cast<uint32_t>(span) / 16;
  return line * 128 + (chunk ^ (line % chunks_in_span)) * 16 + address % 16;
}

/// Calls visit(byte offset in the tensor, inside, byte offset in shared memory, first byte of a
/// row's 16-byte unit) for each element of a box. An element is inside if all its coordinates are.
template <class Visit>
void for_each_element(const TensorCase& test, const PlacedBox& box, Visit visit) {
  const auto& tensor = test.tensor;
  const int bytes = isa::element_bytes(tensor.type);
  const uint32_t elements = test.box_bytes / static_cast<uint32_t>(bytes);
  for (uint32_t e = 0; e < elements; ++e) {
    uint32_t rest = e;
    bool outer_inside = true;
    int64_t place = 0;
    int64_t innermost = 0;
    for (int d = 0; d < tensor.rank; ++d) {
      const int64_t index = box.at[d] + static_cast<int64_t>(rest % tensor.box[d]);
      rest /= tensor.box[d];
      if (d == 0) {
        innermost = index;
        place += index * bytes;
      } else {
        outer_inside = outer_inside && index >= 0 && index < static_cast<int64_t>(tensor.extent[d]);
        place += index * static_cast<int64_t>(tensor.stride_bytes[d]);
      }
    }
    const uint32_t linear = box.shared + e * static_cast<uint32_t>(bytes);
    const auto extent = static_cast<int64_t>(tensor.extent[0]);
    // Stores clip in units of 16 bytes: an element past the end of its row is written if its unit
    // starts before it.
    const int64_t unit = 16 / bytes;
    const bool unit_inside = innermost >= 0 && innermost / unit * unit < extent;
    visit(place, outer_inside && innermost >= 0 && innermost < extent, outer_inside && unit_inside,
          swizzled_place(linear, tensor.swizzle_span));
  }
}

/// Shared memory after the loads of `box`.
inline void expect_load(const TensorCase& test, const PlacedBox& box, const Bytes& global,
                        Bytes& shared) {
  const int bytes = isa::element_bytes(test.tensor.type);
  for_each_element(test, box, [&](int64_t place, bool inside, bool, uint32_t at) {
    for (int b = 0; b < bytes; ++b) {
      shared[at + static_cast<uint32_t>(b)] =
          inside ? global[static_cast<std::size_t>(place + b)] : 0;
    }
  });
}

/// Global memory after the store of `box`. False if it writes what `written` says another store
/// writes.
inline bool expect_store(const TensorCase& test, const PlacedBox& box, const Bytes& shared,
                         Bytes& global, std::vector<bool>& written) {
  const int bytes = isa::element_bytes(test.tensor.type);
  bool alone = true;
  for_each_element(test, box, [&](int64_t place, bool, bool unit_inside, uint32_t at) {
    for (int b = 0; unit_inside && b < bytes; ++b) {
      const auto target = static_cast<std::size_t>(place + b);
      alone = alone && !written[target];
      written[target] = true;
      global[target] = shared[at + static_cast<uint32_t>(b)];
    }
  });
  return alone;
}

/// A start for one dimension of a box: inside, over either edge, or wholly outside.
inline int32_t random_start(Dice& dice, int box, int extent) {
  switch (dice.between(0, 7)) {
    case 0:
      return -dice.between(1, box);  // over the low edge, or just outside
    case 1:
      return extent - dice.between(1, box);  // over the high edge
    case 2:
      return dice.one_in(2) ? -box - dice.between(0, 3) : extent + dice.between(0, 5);
    default:
      return dice.between(0, extent > box ? extent - box : 0);
  }
}

inline PlacedBox random_box(Dice& dice, const TensorCase& test) {
  const auto& tensor = test.tensor;
  const int unit = 16 / isa::element_bytes(tensor.type);
  PlacedBox box{};
  for (int d = 0; d < tensor.rank; ++d) {
    int32_t start =
        random_start(dice, static_cast<int>(tensor.box[d]), static_cast<int>(tensor.extent[d]));
    if (d == 0) {
      start = (start - (start % unit + unit) % unit);  // on 16 bytes
    }
    box.at[d] = start;
  }
  return box;
}

/// A tensor of `rank` dimensions with a box of at most 4096 bytes.
inline TensorCase random_tensor(uint32_t seed, int rank, isa::TensorElement type, int span) {
  Dice dice(seed);
  TensorCase test;
  test.seed = seed;
  auto& tensor = test.tensor;
  tensor.rank = rank;
  tensor.type = type;
  tensor.swizzle_span = span;
  const int element = isa::element_bytes(type);
  const int inner_bytes = span == 16 ? 16 * dice.between(1, element == 1 ? 16 : 20) : span;
  tensor.box[0] = static_cast<uint32_t>(inner_bytes / element);
  tensor.extent[0] = static_cast<uint64_t>(dice.between(1, 3 * inner_bytes / element));
  int room = 4096 / inner_bytes;
  for (int d = 1; d < rank; ++d) {
    const int most = rank == 2 ? room : dice.between(1, 7);
    const int extent = dice.between(1, room < most ? room : most);
    tensor.box[d] = static_cast<uint32_t>(extent);
    room /= extent;
    tensor.extent[d] = static_cast<uint64_t>(dice.between(1, 2 * extent + 3));
  }
  uint64_t bytes = tensor.extent[0] * static_cast<uint64_t>(element);
  for (int d = 1; d < rank; ++d) {
    bytes = (bytes + 15) / 16 * 16 +
            static_cast<uint64_t>(16 * (dice.one_in(2) ? dice.between(0, 3) : 0));
    tensor.stride_bytes[d] = bytes;
    bytes *= tensor.extent[d];
  }
  test.tensor_bytes = (bytes + 15) / 16 * 16;
  test.box_bytes = static_cast<uint32_t>(element);
  for (int d = 0; d < rank; ++d) {
    test.box_bytes *= tensor.box[d];
  }
  return test;
}

inline std::string tensor_name(const TensorCase& test) {
  constexpr const char* types[] = {"u8", "u16", "s32", "fp16", "bf16", "fp32"};
  return "rank" + std::to_string(test.tensor.rank) + "_" +
         types[static_cast<int>(test.tensor.type)] + "_span" +
         std::to_string(test.tensor.swizzle_span) + "_seed" + std::to_string(test.seed);
}

/// Calls make(seed, rank, type, span) for every combination, `repeats` times.
template <class Make>
std::vector<TensorCase> tensor_cases(uint32_t first_seed, int repeats, Make make) {
  std::vector<TensorCase> cases;
  uint32_t seed = first_seed;
  for (int rank = 1; rank <= 5; ++rank) {
    for (int type = 0; type < 6; ++type) {
      for (const int span : {16, 32, 64, 128}) {
        for (int i = 0; i < repeats; ++i) {
          cases.push_back(make(seed++, rank, static_cast<isa::TensorElement>(type), span));
          cases.back().name = tensor_name(cases.back());
        }
      }
    }
  }
  return cases;
}

/// Puts the case's boxes one after the other, at multiples of 128 bytes with random gaps.
inline uint32_t place_boxes(Dice& dice, TensorCase& test, int count) {
  uint32_t next = static_cast<uint32_t>(128 * dice.between(0, 8));
  for (int i = 0; i < count; ++i) {
    PlacedBox box = random_box(dice, test);
    box.shared = next;
    next = rounded_up(next + test.box_bytes, 128) + static_cast<uint32_t>(128 * dice.between(0, 2));
    test.boxes.push_back(box);
  }
  return next;
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
