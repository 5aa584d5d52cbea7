// A reduction as its kernels are given it, and how it is cut up. Knows neither target.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/matrix.h"

namespace warpline {

inline constexpr int reduce_stage_bytes = 16384;

enum class ReduceStep : std::uint8_t { sum, minimum, maximum, norm, argmax };

/// What a pass of a reduction stores: what another pass goes on with, or results (of argmax, an
/// int64 index).
enum class ReduceOutput : std::uint8_t { accumulator, fp32, fp16, bf16, int32, index };

/// Element (o, k, i) of x is x[o * x_outer + k * x_reduced + i * x_inner]; of the results, (o, i)
/// is out[o * out_outer + i * out_inner]. k is reduced, in segments. Accumulators of several
/// segments are stored as [o][segment][i].
struct ReduceExtents {
  std::int64_t outer = 1;
  std::int64_t reduced = 0;
  std::int64_t inner = 1;
  std::int64_t x_outer = 0;
  std::int64_t x_reduced = 1;
  std::int64_t x_inner = 0;
  std::int64_t out_outer = 0;
  std::int64_t out_inner = 0;
  std::int64_t segment = 0;
  std::int64_t segments = 1;

  std::int64_t results() const { return outer * inner; }
};

/// One pass.
struct ReduceTask {
  const void* x = nullptr;
  void* out = nullptr;
  ReduceExtents extents;
  ElementType type = ElementType::fp32;
  /// x is what a pass of argmax has left (ArgmaxPartial).
  bool pairs = false;
  ReduceStep step = ReduceStep::sum;
  /// Columns that a CTA takes at once, where the shape is columns.
  int tile = 0;
  /// Of the results, the square root is stored.
  bool root = false;
  ReduceOutput out_type = ReduceOutput::fp32;
};

/// What a part of argmax's elements leaves: a number that is ordered as the elements are, NaN being
/// the largest, and where its element is.
struct alignas(16) ArgmaxPartial {
  std::int64_t index;
  std::int32_t key;
  std::int32_t unused;
};

/// So many parts of the work that all multiprocessors have some: four for each of an H200's.
/// Segments depend on the shape alone, and with them the order of the additions.
inline constexpr std::int64_t reduce_parts = 528;

/// `segment` is made a multiple of `unit`, unless there is one segment.
inline void cut(ReduceExtents& extents, std::int64_t most, std::int64_t unit) {
  const std::int64_t units = std::max<std::int64_t>((extents.reduced + unit - 1) / unit, 1);
  const std::int64_t count = std::clamp<std::int64_t>(most, 1, units);
  const std::int64_t units_each = (units + count - 1) / count;
  extents.segments = (units + units_each - 1) / units_each;
  extents.segment = extents.segments == 1 ? extents.reduced : units_each * unit;
}

}  // namespace warpline
