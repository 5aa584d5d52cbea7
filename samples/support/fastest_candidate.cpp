#include <algorithm>

#include "samples/support/vendor.h"
#include "warpline/error.h"

#if WARPLINE_HAS_GPU

namespace sample {

int fastest_candidate(Vendor& vendor, int candidates, const Contest& contest, Bench& bench,
                      const GpuStream& stream) {
  constexpr int heats = 5;
  const Launch& launch = contest.contestants.front();
  std::vector<int> running;
  Contest all{.contestants = {}, .sets = contest.sets};
  for (int candidate = 0; candidate < candidates; ++candidate) {
    vendor.choose(candidate);
    try {
      launch(0);
      stream.synchronize();
    } catch (const warpline::Error&) {
      continue;  // a suggestion may turn out not to run
    }
    running.push_back(candidate);
    all.contestants.emplace_back([&vendor, &launch, candidate](std::size_t set) {
      vendor.choose(candidate);
      launch(set);
    });
  }
  if (running.empty()) {
    return -1;
  }
  const double estimate = milliseconds_of(all.contestants.front(), stream);
  const std::vector<double> times = bench.quick(all, heats, estimate).milliseconds;
  return running[static_cast<std::size_t>(std::min_element(times.begin(), times.end()) -
                                          times.begin())];
}

}  // namespace sample

#endif
