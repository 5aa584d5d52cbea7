#include "samples/ladder/tuning.h"

#include <fmt/core.h>

#include "samples/ladder/plan.h"
#include "samples/support/gpu.h"
#include "samples/support/usage_error.h"

namespace ladder {

using warpline::tuner::CacheEntry;
using warpline::tuner::Source;
using warpline::tuner::Values;

Place place_of(bool on_gpu) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    const sample::GpuFacts facts = sample::gpu_facts();
    return {facts.name, facts.driver, facts.multiprocessors};
  }
#endif
  (void)on_gpu;
  return {"simulator", "", 132};
}

warpline::tuner::CacheKey key_of(const Place& place, int version, const sample::Size& size,
                                 Load load) {
  return {place.gpu,
          place.driver,
          names[version],
          {{"m", size.m},
           {"n", size.n},
           {"k", size.k},
           {load == Load::cool ? "cool" : "sustained", 1}}};
}

std::filesystem::path cache_file(const CommandLine& line) {
  const std::filesystem::path file =
      line.cache ? std::filesystem::path(*line.cache) : warpline::tuner::default_cache();
  if (file.empty()) {
    throw sample::UsageError(
        "nothing says where the tuning cache is: give --cache FILE, or set WARPLINE_TUNING_CACHE, "
        "XDG_CACHE_HOME or HOME");
  }
  return file;
}

Picked pick(const Place& place, int version, const sample::Size& size, Load load,
            const std::vector<Candidate>& candidates, const std::vector<CacheEntry>& entries,
            bool filtered) {
  const Candidate& guessed = guess(candidates, size, place.multiprocessors);
  const auto chosen = warpline::tuner::choose(
      entries, key_of(place, version, size, load),
      [&](const Values& values) { return find(candidates, values) != nullptr; },
      values_of(guessed));
  if (!chosen.note.empty() && !filtered) {
    fmt::print(stderr, "ladder: {}\n", chosen.note);
  }
  const Candidate* const found = find(candidates, chosen.configuration);
  const Candidate& candidate = found != nullptr ? *found : guessed;
  switch (chosen.source) {
    case Source::exact:
      return {candidate, "exact", "tuned for this size"};
    case Source::nearest:
      return {candidate, "nearest",
              fmt::format("tuned for {} with driver {}",
                          warpline::tuner::to_string(chosen.entry->key.problem),
                          chosen.entry->key.driver)};
    default:
      return {candidate, "heuristic", "not tuned: the heuristic's"};
  }
}

}  // namespace ladder
