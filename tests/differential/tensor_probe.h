// Device helper of the probes for tiled copies: the rank becomes a constant.
#pragma once

#include "tests/differential/tensor_cases.h"
#include "warpline/isa/tensor_copy.h"
#include "warpline/static_for.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// Calls body(coordinates) with an array of `rank` of the box's coordinates.
template <class Body>
WARPLINE_DEVICE void with_coordinates(int rank, const PlacedBox& box, Body body) {
  static_for<1, 6>([&](auto constant) {
    constexpr int r = decltype(constant)::value;
    if (rank == r) {
      int32_t at[r];
      WARPLINE_UNROLL
      for (int d = 0; d < r; ++d) {
        at[d] = box.at[d];
      }
      body(at);
    }
  });
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
