// Which configuration of a version runs: tuned now, tuned before, or guessed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "samples/ladder/candidates.h"
#include "samples/ladder/command_line.h"
#include "tuner/choose.h"

namespace ladder {

/// The GPU for the cache's keys; the heuristic needs its multiprocessors.
struct Place {
  std::string gpu;
  std::string driver;
  int multiprocessors;
};

/// The first GPU's, or for the simulator what an H200 has.
Place place_of(bool on_gpu);

/// Winners of one load are none for the other: the load is a part of the problem's name.
warpline::tuner::CacheKey key_of(const Place& place, int version, const sample::Size& size,
                                 Load load);

/// The cache's file. Throws UsageError if nothing says where it is.
std::filesystem::path cache_file(const CommandLine& line);

struct Picked {
  Candidate candidate;
  /// "exact", "nearest" or "heuristic"; "tuned" just now.
  std::string source;
  /// More of that for people: "tuned for m 4096, ...".
  std::string why;
};

/// What a plain call uses. Prints what is wrong with cache entries, a line each, to stderr.
Picked pick(const Place& place, int version, const sample::Size& size, Load load,
            const std::vector<Candidate>& candidates,
            const std::vector<warpline::tuner::CacheEntry>& entries, bool filtered);

}  // namespace ladder
