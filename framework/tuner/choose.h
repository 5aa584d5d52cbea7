// What a plain call uses: what was tuned for it, else for the nearest problem, else a guess.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/cache.h"

namespace warpline::tuner {

/// sqrt of the sum of ln(a / b)^2 over the extents: twice as large in one dimension is as far as
/// half as large in another. Extents below 1 count as 1. Infinite if the names differ.
double distance(const Values& a, const Values& b);

enum class Source { exact, nearest, heuristic };

struct Chosen {
  Values configuration;
  Source source;
  /// What it was taken from, if not from the heuristic.
  std::optional<CacheEntry> entry;
  /// What the user should know, in one line: a winner that is no longer built. Often empty.
  std::string note;
};

/// Takes, in this order:
///   exact      the winner for this GPU, driver, kernel and problem
///   nearest    of this GPU's winners for this kernel the one whose problem is nearest; of equals
///              that of this driver, then the latest
///   heuristic  `guess`
/// A winner that `exists` denies is passed over.
Chosen choose(const std::vector<CacheEntry>& entries, const CacheKey& key,
              const std::function<bool(const Values&)>& exists, const Values& guess);

}  // namespace warpline::tuner
