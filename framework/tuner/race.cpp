#include "tuner/race.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tuner/statistics.h"

namespace warpline::tuner {

namespace {

/// Of the confidence interval: two-sided 99 % of normal noise.
constexpr double z = 2.576;
/// Clocks do not tell less than this.
constexpr double least_sigma = 0.0005;
/// Samples between two of the reference.
constexpr std::size_t gap = 4;
/// A reference that took so much longer than the last time is timed again.
constexpr double hiccup = 1.1;
/// Fewer samples than this may all be delayed.
constexpr std::size_t few_samples = 5;
/// A reference this much slower than the best is replaced: its samples cost time.
constexpr double slow_reference = 1.15;

struct Candidate {
  enum class State { unseen, running, hopeless, beaten, excluded };
  State state = State::unseen;
  std::vector<double> times = {};
  std::vector<double> ratios = {};

  bool in_race() const { return state == State::unseen || state == State::running; }
};

/// A timing that waits for the reference's next one.
struct Pending {
  std::size_t candidate;
  double milliseconds;
  double at;
};

class Race {
 public:
  Race(std::size_t candidates, Measure& measure, const RaceOptions& options, RaceObserver* observer)
      : measure_(&measure),
        options_(options),
        observer_(observer),
        start_(measure.seconds()),
        random_(options.seed),
        candidates_(candidates) {}

  RaceResult run() {
    while (!ended_ && pass()) {
    }
    return result();
  }

 private:
  double now() const { return measure_->seconds() - start_; }

  /// Everyone who is in the race once. False if that has decided it.
  bool pass() {
    std::vector<std::size_t> order = in_race();
    if (order.empty()) {
      return false;
    }
    // The first pass starts with candidate 0, which the caller thinks is good.
    std::shuffle(order.begin() + (passes_ == 0 ? 1 : 0), order.end(), random_);
    left_in_pass_ = order.size();
    for (std::size_t begin = 0; begin < order.size() && !ended_; begin += gap) {
      const std::size_t end = std::min(begin + gap, order.size());
      group({order.begin() + static_cast<std::ptrdiff_t>(begin),
             order.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    judge();
    ++passes_;
    return !ended_ && !decided();
  }

  /// Some candidates between two timings of the reference. Checks come first: nothing but timings
  /// shall lie between a rest and the group's end.
  void group(const std::vector<std::size_t>& numbers) {
    for (const std::size_t number : numbers) {
      admit(number);
    }
    bool begun = false;
    for (const std::size_t number : numbers) {
      --left_in_pass_;
      if (ended_ || candidates_[number].state != Candidate::State::running) {
        continue;
      }
      if (!begun || !have_reference_) {
        begun = true;
        begin_group(number);
      }
      if (!candidates_[number].in_race()) {
        continue;  // it was the reference, and has failed
      }
      if (const auto timed = time(number)) {
        pending_.push_back(*timed);
        report();
      }
    }
    settle();
  }

  /// Checks a candidate that was never run.
  void admit(std::size_t number) {
    Candidate& candidate = candidates_[number];
    if (candidate.state != Candidate::State::unseen || !may_go_on(check_seconds_)) {
      return;
    }
    const double begin = now();
    const bool good = accept(number, measure_->check(number));
    check_seconds_ = now() - begin;
    if (good) {
      candidate.state = Candidate::State::running;
    }
  }

  void begin_group(std::size_t first) {
    const bool rested = measure_->rest();
    if (!have_reference_) {
      // The first that works.
      reference_ = first;
      have_reference_ = true;
      time_reference();
    } else if (rested) {
      time_reference();
    }
  }

  /// Nothing if the race is over or the candidate is excluded.
  std::optional<Pending> time(std::size_t number) {
    const Candidate& candidate = candidates_[number];
    if (!may_go_on(candidate.times.empty() ? 0 : candidate.times.back() / 1000)) {
      return std::nullopt;
    }
    const double begin = now();
    Outcome outcome = measure_->time(number);
    if (outcome.state == Outcome::State::good && !(outcome.milliseconds > 0)) {
      outcome = {.state = Outcome::State::failed, .why = "its time is not positive"};
    }
    if (!accept(number, outcome)) {
      return std::nullopt;
    }
    ++samples_;
    return Pending{number, outcome.milliseconds, (begin + now()) / 2};
  }

  /// One more timing of the reference, and the ratios of those that waited for it.
  void settle() {
    if (pending_.empty() || !have_reference_) {
      return;
    }
    const double before = reference_milliseconds_;
    const double before_at = reference_at_;
    time_reference();
    for (const Pending& timed : pending_) {
      const double span = reference_at_ - before_at;
      const double share = span > 0 ? std::clamp((timed.at - before_at) / span, 0.0, 1.0) : 0.0;
      const double reference = before + share * (reference_milliseconds_ - before);
      Candidate& candidate = candidates_[timed.candidate];
      if (candidate.state != Candidate::State::excluded) {
        candidate.times.push_back(timed.milliseconds);
        candidate.ratios.push_back(timed.milliseconds / reference * reference_ratio_);
      }
    }
    pending_.clear();
    judge();
  }

  /// Keeps the last timing if the race has ended. If the reference is excluded, the next who is
  /// timed takes over.
  void time_reference() {
    auto timed = time(reference_);
    // (The first has nothing to be compared with; then 0 is what it is compared with.)
    if (timed && timed->milliseconds > reference_milliseconds_ * hiccup) {
      // One delayed reference would flatter all its neighbours.
      if (const auto again = time(reference_); again && again->milliseconds < timed->milliseconds) {
        timed = again;
      }
    }
    if (candidates_[reference_].state != Candidate::State::excluded) {
      if (timed) {
        reference_milliseconds_ = timed->milliseconds;
        reference_at_ = timed->at;
      }
    } else {
      have_reference_ = false;
      reference_milliseconds_ = 0;
      reference_ratio_ = 1;
      pending_.clear();
      for (Candidate& candidate : candidates_) {
        candidate.ratios.clear();  // ratios to one who is out cannot be continued
        candidate.times.clear();
      }
    }
  }

  bool accept(std::size_t number, const Outcome& outcome) {
    if (outcome.state == Outcome::State::good) {
      return true;
    }
    candidates_[number].state = Candidate::State::excluded;
    excluded_.push_back({number, outcome});
    return false;
  }

  bool may_go_on(double expected_seconds) {
    if (options_.stop != nullptr && options_.stop->load()) {
      ended_ = Ending::interrupted;
    } else if (now() + expected_seconds > options_.budget_seconds) {
      ended_ = Ending::out_of_time;
    }
    return !ended_;
  }

  std::vector<std::size_t> in_race() const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].in_race()) {
        numbers.push_back(i);
      }
    }
    return numbers;
  }

  std::optional<std::size_t> best() const {
    std::optional<std::size_t> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& candidate = candidates_[i];
      if (candidate.state == Candidate::State::running && !candidate.ratios.empty()) {
        // Of two that are equal the first: the same cache entry every time.
        if (const double ratio = median(candidate.ratios); ratio < least) {
          least = ratio;
          found = i;
        }
      }
    }
    return found;
  }

  /// Takes the hopeless out, and at the end of a pass the beaten.
  void judge() {
    const auto leader = best();
    if (!leader || options_.exhaustive) {
      return;
    }
    const double least = median(candidates_[*leader].ratios);
    for (Candidate& candidate : candidates_) {
      if (candidate.state != Candidate::State::running || candidate.ratios.empty()) {
        continue;
      }
      const double own = *std::min_element(candidate.ratios.begin(), candidate.ratios.end());
      const double margin = options_.hopeless - 1;
      if (own > least * (1 + (candidate.ratios.size() == 1 ? 4 * margin : margin))) {
        candidate.state = Candidate::State::hopeless;
      }
    }
    if (left_in_pass_ == 0 && passes_ > 0) {
      take_out_beaten(least);
    }
  }

  void take_out_beaten(double least) {
    const double sigma = noise();
    for (Candidate& candidate : candidates_) {
      if (candidate.state != Candidate::State::running) {
        continue;
      }
      const std::vector<double>& ratios = candidate.ratios;
      const double own = ratios.size() < few_samples
                             ? *std::min_element(ratios.begin(), ratios.end())
                             : median(ratios);
      const double error = z * median_error(sigma, ratios.size());
      if (own * (1 - error) > least * (1 + error)) {
        candidate.state = Candidate::State::beaten;
      }
    }
  }

  double noise() const {
    std::vector<std::vector<double>> groups;
    groups.reserve(candidates_.size());
    for (const Candidate& candidate : candidates_) {
      groups.push_back(candidate.ratios);
    }
    return std::max(pooled_sigma(groups), least_sigma);
  }

  bool decided() {
    const std::vector<std::size_t> left = in_race();
    const auto leader = best();
    if (passes_ >= options_.samples || !leader) {
      return passes_ >= options_.samples || left.empty();
    }
    if (options_.exhaustive) {
      return false;
    }
    replace_slow_reference(*leader);
    if (left.size() <= 1 || passes_ < static_cast<int>(few_samples)) {
      return left.size() <= 1;
    }
    return z * median_error(noise(), candidates_[*leader].ratios.size()) <= options_.tolerance;
  }

  void replace_slow_reference(std::size_t leader) {
    const double ratio = median(candidates_[leader].ratios);
    if (leader != reference_ && have_reference_ && ratio * slow_reference < reference_ratio_) {
      // Later ratios go on in units of the first reference.
      reference_ = leader;
      reference_ratio_ = ratio;
      reference_milliseconds_ = 0;
      time_reference();
    }
  }

  void report() {
    if (observer_ == nullptr) {
      return;
    }
    RaceProgress progress{.in_race = in_race().size(),
                          .candidates = candidates_.size(),
                          .best = best(),
                          .seconds = now()};
    for (const Candidate& candidate : candidates_) {
      progress.timed += candidate.times.empty() ? 0 : 1;
    }
    if (progress.best) {
      progress.best_milliseconds = median(candidates_[*progress.best].times);
    }
    const double per_sample = progress.seconds / std::max(samples_, 1);
    // What is left of this pass, and as much as a few more passes of ever fewer take.
    const double later =
        options_.exhaustive
            ? static_cast<double>(progress.in_race) * (options_.samples - passes_ - 1)
            : static_cast<double>(progress.in_race) / (passes_ == 0 ? 2 : 1);
    progress.seconds_left =
        std::min(per_sample * (static_cast<double>(left_in_pass_) + later) * (gap + 1) / gap,
                 std::max(options_.budget_seconds - progress.seconds, 0.0));
    observer_->update(progress);
  }

  RaceResult result() {
    RaceResult result{.excluded = std::move(excluded_),
                      .ending = ended_.value_or(Ending::decided),
                      .seconds = now(),
                      .samples = samples_};
    result.complete = true;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& candidate = candidates_[i];
      if (candidate.state == Candidate::State::excluded) {
        continue;
      }
      if (candidate.ratios.empty()) {
        result.complete = result.complete && !candidate.in_race();
        continue;
      }
      result.standings.push_back({i, median(candidate.times), median(candidate.ratios),
                                  static_cast<int>(candidate.times.size())});
    }
    const auto rank = [&](const RaceResult::Standing& standing) {
      // Who was taken out lost, whatever its few samples say.
      return candidates_[standing.candidate].state == Candidate::State::running ? 0 : 1;
    };
    std::stable_sort(result.standings.begin(), result.standings.end(),
                     [&](const auto& a, const auto& b) {
                       return std::pair(rank(a), a.ratio) < std::pair(rank(b), b.ratio);
                     });
    return result;
  }

  Measure* measure_;
  RaceOptions options_;
  RaceObserver* observer_;
  double start_;
  std::mt19937_64 random_;
  std::vector<Candidate> candidates_;
  std::vector<RaceResult::Excluded> excluded_;
  std::vector<Pending> pending_;
  std::optional<Ending> ended_;
  bool have_reference_ = false;
  std::size_t reference_ = 0;
  double reference_milliseconds_ = 0;
  double reference_at_ = 0;
  /// Of the present reference to the first.
  double reference_ratio_ = 1;
  /// What the last check took: what the next will take.
  double check_seconds_ = 0;
  int passes_ = 0;
  std::size_t left_in_pass_ = 0;
  int samples_ = 0;
};

}  // namespace

RaceResult race(std::size_t candidates, Measure& measure, const RaceOptions& options,
                RaceObserver* observer) {
  return Race(candidates, measure, options, observer).run();
}

}  // namespace warpline::tuner
