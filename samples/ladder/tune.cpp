#include "samples/ladder/tune.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "tuner/progress_bar.h"
#include "tuner/race.h"
#include "warpline/error.h"

namespace ladder {

using warpline::tuner::Ending;
using warpline::tuner::Outcome;
using warpline::tuner::RaceResult;

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Catches SIGINT while it lives.
class InterruptGuard {
 public:
  InterruptGuard() : before_(std::signal(SIGINT, [](int) { interrupted = true; })) {}
  ~InterruptGuard() { std::signal(SIGINT, before_); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*before_)(int);
};

void print_result(const RaceResult& result, int version, const std::vector<Candidate>& candidates) {
  for (const RaceResult::Excluded& excluded : result.excluded) {
    fmt::print(stderr, "ladder: v{}, {} is excluded: {}: {}\n", version,
               to_string(candidates[excluded.candidate]),
               excluded.outcome.state == Outcome::State::wrong ? "wrong" : "failed",
               excluded.outcome.why);
  }
  fmt::print("v{} tuned: {} candidates, {} timings, {:.1f} s{}\n", version, candidates.size(),
             result.samples, result.seconds,
             result.ending == Ending::out_of_time ? ", out of time" : "");
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, result.standings.size()); ++i) {
    const RaceResult::Standing& standing = result.standings[i];
    fmt::print("  {:>9.4f} ms  {:>7.4f}  {}\n", standing.milliseconds,
               standing.ratio / result.standings.front().ratio,
               to_string(candidates[standing.candidate]));
  }
}

}  // namespace

Picked tune(const CommandLine& line, const Place& place, int version, const sample::Size& size,
            const std::vector<Candidate>& candidates, TuningProblem& problem) {
  std::vector<Candidate> order = candidates;
  const Candidate* const first =
      find(order, values_of(guess(candidates, size, place.multiprocessors)));
  std::iter_swap(order.begin(), order.begin() + (first - order.data()));

  interrupted = false;
  const InterruptGuard guard;
  GpuMeasure measure(problem, order);
  warpline::tuner::ProgressBar bar(
      stderr, ::isatty(STDERR_FILENO) != 0,
      [&](std::size_t candidate) { return to_string(order[candidate]); });
  const RaceResult result = warpline::tuner::race(order.size(), measure,
                                                  {.budget_seconds = line.tune_budget,
                                                   .exhaustive = line.exhaustive,
                                                   .seed = line.seed,
                                                   .stop = &interrupted},
                                                  &bar);
  bar.finish();
  if (result.ending == Ending::interrupted) {
    throw warpline::Error("interrupted: nothing is stored");
  }
  print_result(result, version, order);
  const auto winner = result.winner();
  if (!winner) {
    throw warpline::Error(fmt::format("v{}: {}", version,
                                      result.ending == Ending::out_of_time
                                          ? "the budget is too short to time a single candidate"
                                          : "no candidate gives a right result"));
  }
  if (!line.no_cache) {
    const std::string why = warpline::tuner::store(
        cache_file(line), {.key = key_of(place, version, size),
                           .configuration = values_of(order[*winner]),
                           .milliseconds = result.standings.front().milliseconds,
                           .complete = result.complete,
                           .date = warpline::tuner::date_now()});
    if (!why.empty()) {
      fmt::print(stderr, "ladder: {}\n", why);
    }
  }
  return {order[*winner], "tuned", "tuned now"};
}

}  // namespace ladder

#endif
