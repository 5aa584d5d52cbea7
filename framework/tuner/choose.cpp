#include "tuner/choose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace warpline::tuner {

double distance(const Values& a, const Values& b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) {
    return infinite;
  }
  double squares = 0;
  for (const auto& [name, extent] : a) {
    const auto other = std::find_if(b.begin(), b.end(), [&, &wanted = name](const auto& value) {
      return value.first == wanted;
    });
    if (other == b.end()) {
      return infinite;
    }
    const auto logarithm = [](std::int64_t value) {
      return std::log(static_cast<double>(std::max<std::int64_t>(value, 1)));
    };
    squares += std::pow(logarithm(extent) - logarithm(other->second), 2);
  }
  return std::sqrt(squares);
}

Chosen choose(const std::vector<CacheEntry>& entries, const CacheKey& key,
              const std::function<bool(const Values&)>& exists, const Values& guess) {
  const CacheEntry* best = nullptr;
  std::string note;
  // Less is better; dates are such that later ones are greater texts.
  const auto rank = [&](const CacheEntry& entry) {
    return std::tuple(distance(entry.key.problem, key.problem), entry.key.driver != key.driver);
  };
  for (const CacheEntry& entry : entries) {
    if (entry.key.gpu != key.gpu || entry.key.kernel != key.kernel ||
        !std::isfinite(distance(entry.key.problem, key.problem))) {
      continue;
    }
    if (!exists(entry.configuration)) {
      note = "a tuned winner of " + key.kernel +
             " is not built into this program and is ignored: " + to_string(entry.configuration);
      continue;
    }
    if (best == nullptr || rank(entry) < rank(*best) ||
        (rank(entry) == rank(*best) && entry.date > best->date)) {
      best = &entry;
    }
  }
  if (best == nullptr) {
    return {guess, Source::heuristic, std::nullopt, note};
  }
  const bool exact = best->key.driver == key.driver && same(best->key.problem, key.problem);
  return {best->configuration, exact ? Source::exact : Source::nearest, *best, note};
}

}  // namespace warpline::tuner
