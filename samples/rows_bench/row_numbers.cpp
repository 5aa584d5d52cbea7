#include "samples/rows_bench/row_numbers.h"

#if WARPLINE_HAS_GPU

#include <cmath>
#include <vector>

namespace sample::rows {

namespace {

constexpr std::size_t bytes_per_row = 8 + 3 * 4;

}  // namespace

RowNumbers::RowNumbers(const Shape& shape, std::size_t sets)
    : rows_(static_cast<std::size_t>(shape.rows)),
      each_((rows_ * bytes_per_row + 511) / 512 * 512),
      memory_(each_ * sets, "numbers of rows") {
  std::vector<std::int64_t> indices;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    indices.push_back(r * 7919 % shape.columns);
  }
  // About what rows of normal numbers have, and ones.
  std::vector<float> numbers(2 * rows_, 1.0f);
  for (std::size_t r = 0; r < rows_; ++r) {
    numbers[r] = std::log(static_cast<float>(shape.columns)) + 0.5f;
  }
  for (std::size_t set = 0; set < sets; ++set) {
    memory_.upload(set * each_, indices.data(), rows_ * 8);
    memory_.upload(set * each_ + rows_ * 8, numbers.data(), rows_ * 8);
  }
}

PerRow RowNumbers::of(std::size_t set) const {
  const auto floats = [&](std::size_t which) {
    return reinterpret_cast<float*>(memory_.at(set * each_ + rows_ * (8 + 4 * which)));
  };
  return {.targets = reinterpret_cast<std::int64_t*>(memory_.at(set * each_)),
          .lse = floats(0),
          .dloss = floats(1),
          .loss = floats(2)};
}

}  // namespace sample::rows

#endif
