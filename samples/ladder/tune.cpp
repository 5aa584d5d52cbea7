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

/// How many times the race's budget an exhaustive run has that judges it.
constexpr double exhaustive_budget = 8;

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

RaceResult run_race(const CommandLine& line, const std::vector<Candidate>& order,
                    TuningProblem& problem, bool exhaustive) {
  GpuMeasure measure(problem, order, line.load);
  warpline::tuner::ProgressBar bar(
      stderr, ::isatty(STDERR_FILENO) != 0,
      [&](std::size_t candidate) { return to_string(order[candidate]); });
  const bool to_compare = exhaustive && !line.exhaustive;
  const RaceResult result = warpline::tuner::race(
      order.size(), measure,
      {.budget_seconds = line.tune_budget * (to_compare ? exhaustive_budget : 1),
       .exhaustive = exhaustive,
       .seed = line.seed,
       .stop = &interrupted},
      &bar);
  bar.finish();
  if (result.ending == Ending::interrupted) {
    throw warpline::Error("interrupted: nothing is stored");
  }
  return result;
}

/// Prints what an exhaustive run says of the race's winner, and whether both promises are kept.
bool judge_race(const RaceResult& race, const RaceResult& all, int version,
                const std::vector<Candidate>& order) {
  if (all.ending != Ending::decided || !all.winner()) {
    fmt::print("v{} race: not judged, the exhaustive run did not come to an end\n", version);
    return false;
  }
  const auto of_winner = std::find_if(
      all.standings.begin(), all.standings.end(),
      [&](const RaceResult::Standing& standing) { return standing.candidate == *race.winner(); });
  if (of_winner == all.standings.end()) {
    fmt::print("v{} race: its winner was excluded by the exhaustive run\n", version);
    return false;
  }
  const double behind = of_winner->ratio / all.standings.front().ratio - 1;
  const double share = race.seconds / all.seconds;
  const bool kept = behind <= 0.03 && share <= 0.25;
  fmt::print(
      "v{} race: {:.2f} % behind the best of an exhaustive run ({}), in {:.1f} of {:.1f} s "
      "({:.2f}): {}\n",
      version, 100 * behind, to_string(order[*all.winner()]), race.seconds, all.seconds, share,
      kept ? "kept" : "NOT KEPT");
  return kept;
}

}  // namespace

Picked tune(const CommandLine& line, const Place& place, int version, const sample::Size& size,
            const std::vector<Candidate>& candidates, TuningProblem& problem, bool& bad_race) {
  std::vector<Candidate> order = candidates;
  const Candidate* const first =
      find(order, values_of(guess(candidates, size, place.multiprocessors)));
  std::iter_swap(order.begin(), order.begin() + (first - order.data()));

  interrupted = false;
  const InterruptGuard guard;
  const RaceResult result = run_race(line, order, problem, line.exhaustive);
  print_result(result, version, order);
  const auto winner = result.winner();
  if (!winner) {
    throw warpline::Error(fmt::format("v{}: {}", version,
                                      result.ending == Ending::out_of_time
                                          ? "the budget is too short to time a single candidate"
                                          : "no candidate gives a right result"));
  }
  if (line.judge_race) {
    const RaceResult all = run_race(line, order, problem, true);
    bad_race = !judge_race(result, all, version, order) || bad_race;
  }
  if (!line.no_cache) {
    const std::string why = warpline::tuner::store(
        cache_file(line), {.key = key_of(place, version, size, line.load),
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
