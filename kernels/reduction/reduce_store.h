// Results of a reduction in memory.
#pragma once

#include "reduction/reduce_arguments.h"
#include "reduction/reduce_ops.h"
#include "warpline/isa/memory.h"

namespace warpline::inline WARPLINE_TARGET {

/// The accumulator of segment `segment` of result (o, i), as an accumulator or as the result.
template <class Accumulator>
WARPLINE_DEVICE void store_reduced(void* out, ReduceOutput type, bool root,
                                   const ReduceExtents& extents, int64_t o, int64_t segment,
                                   int64_t i, Accumulator all) {
  if (type == ReduceOutput::accumulator) {
    const int64_t at = (o * extents.segments + segment) * extents.inner + i;
    isa::store_global(static_cast<Accumulator*>(out) + at, all);
    return;
  }
  const int64_t at = o * extents.out_outer + i * extents.out_inner;
  if constexpr (sizeof(Accumulator) == sizeof(ArgmaxPartial)) {
    isa::store_global(static_cast<int64_t*>(out) + at, all.index);
  } else if constexpr (__is_same(Accumulator, int32_t)) {
    isa::store_global(static_cast<int32_t*>(out) + at, all);
  } else {
    const float result = root ? sqrtf(all) : all;
    if (type == ReduceOutput::fp32) {
      isa::store_global(static_cast<float*>(out) + at, result);
    } else if (type == ReduceOutput::fp16) {
      isa::store_global(static_cast<__half*>(out) + at, from_float<__half>(result));
    } else {
      isa::store_global(static_cast<__nv_bfloat16*>(out) + at, from_float<__nv_bfloat16>(result));
    }
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
