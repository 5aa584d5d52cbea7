// The class of each row. Knows neither target.
#pragma once

#include <cstdint>

namespace warpline {

/// Class indices in the memory of the place that a call is for, one for each row.
struct Targets {
  Targets() = default;
  Targets(const std::int32_t* indices)  // NOLINT(google-explicit-constructor)
      : data(indices) {}
  Targets(const std::int64_t* indices)  // NOLINT(google-explicit-constructor)
      : data(indices), wide(true) {}

  const void* data = nullptr;
  /// Indices of 64 bits.
  bool wide = false;
};

}  // namespace warpline
