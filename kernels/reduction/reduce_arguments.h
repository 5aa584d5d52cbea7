// How a reduction is cut up. Knows neither target.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpline {

inline constexpr int reduce_stage_bytes = 16384;

/// What a pass of a reduction stores.
enum class ReduceOutput : std::uint8_t { accumulator, fp32, fp16, bf16, int32 };

struct ReduceExtents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  /// Elements of a segment; whole stages, where there are several.
  std::int64_t segment = 0;
  std::int64_t segments = 1;
};

/// Rows of `columns` elements in about so many segments that all multiprocessors have some: it
/// depends on the shape alone, and with it the order of the additions. 528 is four for each of an
/// H200's.
inline ReduceExtents cut_rows(std::int64_t rows, std::int64_t columns, int element_bytes) {
  constexpr std::int64_t wanted = 528;
  const std::int64_t stage = reduce_stage_bytes / element_bytes;
  const std::int64_t stages = std::max<std::int64_t>((columns + stage - 1) / stage, 1);
  const std::int64_t most = std::clamp<std::int64_t>((wanted + rows - 1) / rows, 1, stages);
  const std::int64_t stages_each = (stages + most - 1) / most;
  const std::int64_t segments = (stages + stages_each - 1) / stages_each;
  return {.rows = rows,
          .columns = columns,
          .segment = segments == 1 ? columns : stages_each * stage,
          .segments = segments};
}

}  // namespace warpline
