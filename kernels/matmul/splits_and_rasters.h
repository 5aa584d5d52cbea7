// What `splits` and `raster` of a matmul may be beside numbers. Knows neither target.
#pragma once

namespace warpline {

/// For splits: stream-K, k tiles shared out evenly (matmul/persistent_schedule.h).
inline constexpr int stream_k = 1 << 30;
/// For raster: blocks of tiles along Hilbert's curve (warpline/tile_order.h).
inline constexpr int hilbert_raster = 1 << 30;

}  // namespace warpline
