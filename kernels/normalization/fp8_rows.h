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
  const auto take = [&](int p, int v) {
    largest = isa::maximum_or_nan(fabsf(values.x[p * vector + v]), largest);
  };
  values.for_each_piece(
      true,
      [&](int p) {
        WARPLINE_UNROLL
        for (int v = 0; v < vector; ++v) {
          take(p, v);
        }
      },
      take);
  largest = reduce(largest, [](float a, float b) { return isa::maximum_or_nan(a, b); });
  if (values.first_of_row()) {
    isa::store_global(scale, largest / most);
  }
  const float factor = most / largest;
  using Unit = Pack<uint16_t, vector / 2>;
  unsigned char* first = to + values.column(0);
  values.for_each_piece(
      reinterpret_cast<uintptr_t>(first) % sizeof(Unit) == 0,
      [&](int p) {
        Unit unit;
        WARPLINE_UNROLL
        for (int v = 0; v < vector; v += 2) {
          const float* x = values.x + (p * vector + v);
          unit.element[v / 2] = isa::e4m3_pair(x[0] * factor, x[1] * factor);
        }
        isa::store_global_streaming(reinterpret_cast<Unit*>(first + p * Values::step), unit);
      },
      [&](int p, int v) {
        const uint16_t pair = isa::e4m3_pair(values.x[p * vector + v] * factor, 0);
        isa::store_global_streaming(first + p * Values::step + v,
                                    static_cast<unsigned char>(pair & 0xff));
      });
}

}  // namespace warpline::inline WARPLINE_TARGET
