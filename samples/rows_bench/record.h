// --trace: the timeline of one operation.
#pragma once

#include <string>

#include "samples/support/timeline.h"

namespace sample::rows {

/// Runs the operation once, recorded: on the GPU 16384 rows of 4096, on the simulator 64. Writes
/// the files and prints the summary.
void record(const std::string& operation, bool on_gpu, const TraceOptions& trace);

}  // namespace sample::rows
