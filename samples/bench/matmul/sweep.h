// Every way to do a shape, timed: what the cost model's tables are made from.
#pragma once

#include <string>

#include "samples/bench/matmul/gpu_shape.h"

#if WARPLINE_HAS_GPU

namespace bench {

/// All kernels (or the one of `allowed`, if it names one) with 1, 2, 3, 4 and 8 splits and
/// stream-K, where K and the number of tiles leave room for them, those of three parts and more
/// also nondeterministic, if that is allowed; the fastest with several rasters; the fastest of
/// those against the vendor, after rests. What a kernel refuses is left out. A candidate that is
/// wrong stays in, with its complaint, and is not timed further.
SweepRow sweep(GpuShape& gpu, const Shape& shape, const Forced& allowed, const Deadline& deadline);

}  // namespace bench

#endif
