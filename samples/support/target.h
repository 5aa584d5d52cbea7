// GPU or simulator: what the user wishes and what there is.
#pragma once

#include <memory>

#include "samples/support/runner.h"

namespace sample {

enum class TargetWish { automatic, gpu, simulator };

/// Whether to run on the GPU. Says so if it takes the simulator for want of one. Throws Error if
/// the GPU was asked for and there is none.
bool takes_gpu(TargetWish wish);

std::unique_ptr<Runner> make_runner(bool on_gpu, const Job& job);

}  // namespace sample
