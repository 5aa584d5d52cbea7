// The operations on rows that are measured, ready to run on either target.
#pragma once

#include <string>

#include "rows/plan.h"

namespace sample::rows {

/// "softmax", "rms_norm" or "layer_norm" of bf16; `weights` has as many elements as a row.
warpline::PreparedRows prepare(const std::string& operation, const warpline::Place& place,
                               const warpline::MutableMatrix& y, const warpline::Matrix& x,
                               const void* weights);

}  // namespace sample::rows
