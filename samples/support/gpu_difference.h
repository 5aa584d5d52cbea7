// How far two results in GPU memory are from each other.
#pragma once

#include <cstdint>

#include "samples/support/gpu.h"
#include "tensor/matrix.h"

#if WARPLINE_HAS_GPU

namespace sample {

/// ||c - other|| / ||other|| over `count` elements of fp16 or bf16: NaN if either has one, 0 if
/// both are zero. Waits for the stream.
double relative_difference(const GpuStream& stream, warpline::ElementType type, const void* c,
                           const void* other, std::int64_t count);

}  // namespace sample

#endif
