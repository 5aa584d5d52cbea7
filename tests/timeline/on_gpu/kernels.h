// The ladder's versions and the flagship, compiled twice into one program: as they are, and with
// timelines.
#pragma once

#include <cstdint>
#include <vector>

#include "matmul/catalog.h"

namespace timeline_on_gpu {

/// v1 to v5, then the flagship; the rasters that they are run with.
std::vector<warpline::MatmulKernel> plain_kernels();
std::vector<warpline::MatmulKernel> traced_kernels();
inline constexpr int rasters[] = {0, 0, 0, 16, 16, 0};
inline constexpr const char* names[] = {"v1", "v2", "v3", "v4", "v5", "cooperative"};

/// From now on launches of traced kernels that are announced by `record_next` are recorded, all
/// into one buffer, which `forget` empties.
void begin(std::uint32_t multiprocessors);
void record_next();
void forget();
/// Both end it; `end` returns what the one launch since `begin` or `forget` has left.
void discard();
warpline::timeline::Trace end(void* stream);

}  // namespace timeline_on_gpu
