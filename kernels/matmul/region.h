// The memory of an operand, to tell whether two operands share some. Knows neither target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

/// Elements at data + the sum of index * stride over the dimensions; extents 1 at least, strides 0
/// at least.
struct Region {
  std::string name;
  const void* data = nullptr;
  std::int64_t element_bytes = 2;
  struct Dimension {
    std::int64_t extent = 1;
    std::int64_t stride = 0;  ///< elements
  };
  Dimension dimension[3] = {};
  /// Which problem of a batch; -1: all.
  std::int64_t problem = -1;
  /// Inputs: each element is read by whoever writes the same element of D, and before: it may be D
  /// itself.
  bool read_in_place = false;
};

/// Throws Error if the last byte has no address.
void check_span(const Region& region);

/// Two indices may lead to one element.
bool overlaps_itself(const Region& region);

/// False only if they share no byte. Regions that are interleaved, as columns of one matrix are,
/// are told apart as long as a stride of one divides the longer strides of both.
bool may_overlap(const Region& a, const Region& b);

/// Throws Error if two outputs may share memory, or an output and an input that is not read in
/// place.
void check_overlaps(std::vector<Region> outputs, const std::vector<Region>& inputs);

}  // namespace warpline
