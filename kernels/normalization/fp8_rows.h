// Rows as e4m3 with a scale each: the largest magnitude becomes 448, the largest number there is.
#pragma once

#include <math.h>

#include "rows/row_values.h"
#include "warpline/isa/fp8.h"
#include "warpline/isa/memory.h"
#include "warpline/numbers.h"

namespace warpline::inline WARPLINE_TARGET {

/// The row of `values` to `to`, divided by *scale = max(largest magnitude, 2^-100) / 448, which is
/// stored as well. reduce(float, combine) is over all threads of the row.
template <class Values, class Reduce>
WARPLINE_DEVICE void store_fp8(unsigned char* to, float* scale, const Values& values,
                               Reduce& reduce) {
  constexpr int vector = Values::vector;
  constexpr float most = 448;
  float largest = 0x1p-100f;
  values.for_each_present([&](float x) { largest = isa::maximum_or_nan(fabsf(x), largest); });
  largest = reduce(largest, [](float a, float b) { return isa::maximum_or_nan(a, b); });
  if (values.first_of_row()) {
    isa::store_global(scale, largest / most);
  }
  const float factor = most / largest;
  unsigned char* first = to + values.column(0);
  WARPLINE_UNROLL
  for (int p = 0; p < Values::pieces; ++p) {
    if (values.has(p)) {
      unsigned char* const piece = first + p * Values::step;
      const float* x = values.x + p * vector;
      if constexpr (vector == 1) {
        const uint16_t pair = isa::e4m3_pair(x[0] * factor, 0);
        isa::store_global_streaming(piece, static_cast<unsigned char>(pair & 0xff));
      } else {
        using Unit = Pack<uint16_t, vector / 2>;
        Unit unit;
        WARPLINE_UNROLL
        for (int v = 0; v < vector; v += 2) {
          unit.element[v / 2] = isa::e4m3_pair(x[v] * factor, x[v + 1] * factor);
        }
        isa::store_global_streaming(reinterpret_cast<Unit*>(piece), unit);
      }
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
