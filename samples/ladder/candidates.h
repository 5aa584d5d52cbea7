// What can run: the kernels that are built, with the rasters that they may take.
#pragma once

#include <string>
#include <vector>

#include "matmul/catalog.h"
#include "samples/ladder/command_line.h"
#include "samples/support/matrix.h"
#include "tuner/configuration.h"

namespace ladder {

struct Candidate {
  const warpline::MatmulKernel* kernel;
  /// As MatmulProblem's; 0 for versions without.
  int raster;
};

/// 0 to 5, from the kernel's name.
int version_of(const warpline::MatmulKernel& kernel);

/// Whether candidates() below would find any.
bool exists(const std::vector<warpline::MatmulKernel>& catalog, int version, const Filter& filter);

/// The version's configurations in `catalog` that the filter leaves open, those for few stages
/// first. Throws UsageError if there is none.
std::vector<Candidate> candidates(const std::vector<warpline::MatmulKernel>& catalog, int version,
                                  const Filter& filter);

/// As the cache has it: stages, block_m, block_n, block_k, and raster if there is one.
warpline::tuner::Values values_of(const Candidate& candidate);

/// "128 x 256 x 64, 4 stages, raster 8"
std::string to_string(const Candidate& candidate);

/// The candidate with these values, or null.
const Candidate* find(const std::vector<Candidate>& candidates,
                      const warpline::tuner::Values& values);

/// What the heuristic of space.h says, or if that is not among them the candidate that differs
/// least from it.
const Candidate& guess(const std::vector<Candidate>& candidates, const sample::Size& size,
                       int multiprocessors);

/// For people: each version's tiles and stages in `catalog`, and how many of all survivors that is.
std::string list_of(const std::vector<warpline::MatmulKernel>& catalog);

/// One line that says how to build all survivors, if `catalog` has not all; else empty.
std::string what_is_missing(const std::vector<warpline::MatmulKernel>& catalog);

}  // namespace ladder
