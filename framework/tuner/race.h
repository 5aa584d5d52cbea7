// Finds the fastest of many candidates without timing the slow ones often.
//
// Passes go over all who are still in the race, in a new order each time, and time each once. A
// GPU's clock drifts with its load, so times of different moments cannot be compared: a reference
// candidate is timed between every four, and what counts is the ratio to the reference at that
// moment, interpolated between its two neighbours. Between two groups of four the GPU may rest
// (Measure::rest); the reference is timed after the rest, too. Who leaves the race:
//   * the hopeless, at once: the best sample is more than `hopeless` times the best candidate's
//     median (after one sample, which may have been delayed: by four times that margin);
//   * the beaten, after a pass: the lower bound of the median's confidence interval is above the
//     upper bound of the best candidate's. The interval is z * 1.2533 * sigma / sqrt(samples), the
//     standard error of a median of normal noise (of few samples the best stands for the median);
//     sigma is pooled over all candidates, from the median absolute deviation, which outliers do
//     not move.
// The race is decided when one is left, or when nobody left can be better than the best by more
// than `tolerance`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure.h"

namespace warpline::tuner {

struct RaceOptions {
  /// No sample begins that would probably end later.
  double budget_seconds = 60;
  /// Of one candidate, at most; an exhaustive run takes so many of each.
  int samples = 24;
  double hopeless = 1.25;
  double tolerance = 0.015;
  /// Time everyone equally often, to compare with.
  bool exhaustive = false;
  /// Of the order in which candidates are timed.
  std::uint64_t seed = 1;
  /// Set by someone else (a signal handler) to end the race soon; may be null.
  const std::atomic<bool>* stop = nullptr;
};

enum class Ending { decided, out_of_time, interrupted };

/// Where a race is. Candidates are numbers from 0.
struct RaceProgress {
  std::size_t in_race = 0;
  std::size_t timed = 0;  ///< candidates with at least one sample
  std::size_t candidates = 0;
  std::optional<std::size_t> best = {};
  double best_milliseconds = 0;
  double seconds = 0;
  /// An estimate.
  double seconds_left = 0;
};

class RaceObserver {
 public:
  RaceObserver() = default;
  RaceObserver(const RaceObserver&) = delete;
  RaceObserver& operator=(const RaceObserver&) = delete;
  virtual ~RaceObserver() = default;
  virtual void update(const RaceProgress& progress) = 0;
};

struct RaceResult {
  struct Standing {
    std::size_t candidate;
    /// Median of the times as measured: comparable only with those of the same moments.
    double milliseconds;
    /// Median of the ratios to the reference: what the order is by.
    double ratio;
    int samples;
  };
  struct Excluded {
    std::size_t candidate;
    Outcome outcome;
  };
  /// All who were timed, the winner first.
  std::vector<Standing> standings;
  std::vector<Excluded> excluded;
  Ending ending = Ending::decided;
  double seconds = 0;
  int samples = 0;
  /// Whether everyone was timed at least once or excluded.
  bool complete = false;

  std::optional<std::size_t> winner() const {
    return standings.empty() ? std::nullopt : std::optional(standings.front().candidate);
  }
};

/// Candidate 0 goes first and is the first reference: put the likeliest there. What `measure`
/// throws is not caught.
RaceResult race(std::size_t candidates, Measure& measure, const RaceOptions& options = {},
                RaceObserver* observer = nullptr);

}  // namespace warpline::tuner
