// Tuning on the GPU: a race of a version's candidates, with a bar, and its winner kept.
#pragma once

#include "samples/ladder/gpu_measure.h"
#include "samples/ladder/tuning.h"

#if WARPLINE_HAS_GPU

namespace ladder {

/// Prints what it finds. Stores the winner unless `line` forbids the cache. Throws Error if no
/// candidate is right, or if the user interrupts (SIGINT): then nothing is stored. With
/// `line.judge_race`, `bad_race` is set if the race did not keep what docs/tuner.md says of it.
Picked tune(const CommandLine& line, const Place& place, int version, const sample::Size& size,
            const std::vector<Candidate>& candidates, TuningProblem& problem, bool& bad_race);

}  // namespace ladder

#endif
