#include "bench.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <thread>
#include <vector>

namespace sample {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int pairs_per_burst = 3;
constexpr std::chrono::milliseconds rest(250);
constexpr std::size_t scratch_bytes = std::size_t{256} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of a copy; 0 of nothing.
template <class T>
T median(std::vector<T> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Samples {
  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<double> ratios;
  std::vector<int> clocks;

  void add(double our_time, double their_time) {
    ours.push_back(our_time);
    theirs.push_back(their_time);
    ratios.push_back(their_time / our_time);
  }

  Speed speed(bool with_vendor) const {
    Speed speed;
    speed.milliseconds = median(ours);
    speed.pairs = static_cast<int>(ours.size());
    if (with_vendor) {
      speed.vendor_milliseconds = median(theirs);
      speed.ratio = median(ratios);
    }
    if (!clocks.empty()) {
      speed.sm_clock_mhz = median(clocks);
    }
    return speed;
  }
};

/// Whose turn it is, with which operands, and how many launches make one timing.
class Turns {
 public:
  explicit Turns(const Contest& contest, double shorter_milliseconds)
      : contest_(&contest),
        // Events cost microseconds: a timing of short launches takes several.
        launches_(std::clamp(static_cast<int>(std::ceil(0.1 / shorter_milliseconds)), 1, 20)) {}

  int launches() const { return launches_; }
  int contestants() const { return contest_->theirs ? 2 : 1; }

  void take(bool ours) {
    const Launch& launch = ours ? contest_->ours : contest_->theirs;
    for (int i = 0; i < launches_; ++i) {
      launch(next_set_++ % contest_->sets);
    }
  }

 private:
  const Contest* contest_;
  int launches_;
  std::size_t next_set_ = 0;
};

/// Pairs of timings that are queued together. The order within a pair alternates: neither always
/// goes first.
class Round {
 public:
  Round(const GpuStream& stream, Turns& turns, int pairs)
      : stream_(&stream),
        turns_(&turns),
        events_(static_cast<std::size_t>(pairs * turns.contestants() + 1)) {}

  void queue() {
    events_.front().record(*stream_);
    for (std::size_t i = 0; i + 1 < events_.size(); ++i) {
      turns_->take(is_ours(i));
      events_[i + 1].record(*stream_);
    }
  }

  void wait_for_half() const { events_[events_.size() / 2].wait(); }

  void collect(Samples& samples) const {
    events_.back().wait();
    const auto step = static_cast<std::size_t>(turns_->contestants());
    for (std::size_t i = 0; i + 1 < events_.size(); i += step) {
      double times[2] = {};
      for (std::size_t j = i; j < i + step; ++j) {
        times[is_ours(j) ? 0 : 1] =
            events_[j + 1].milliseconds_since(events_[j]) / turns_->launches();
      }
      samples.add(times[0], times[1]);
    }
  }

 private:
  bool is_ours(std::size_t i) const { return turns_->contestants() == 1 || (i / 2 + i) % 2 == 0; }

  const GpuStream* stream_;
  Turns* turns_;
  std::deque<GpuEvent> events_;
};

}  // namespace

double milliseconds_of(const Launch& launch, const GpuStream& stream) {
  constexpr int launches = 5;
  GpuEvent begin;
  GpuEvent end;
  launch(0);
  begin.record(stream);
  for (int i = 0; i < launches; ++i) {
    launch(0);
  }
  end.record(stream);
  end.wait();
  return end.milliseconds_since(begin) / launches;
}

Bench::Bench(const GpuStream& stream, const SmClock& clock)
    : stream_(&stream), clock_(&clock), scratch_(scratch_bytes, "the benchmark") {}

void Bench::hold_back(int launches) {
  // A launch costs the host less than 10 microseconds, filling the scratch memory the GPU more
  // than 60.
  const int fills = 1 + launches / 6;
  for (int i = 0; i < fills; ++i) {
    stream_->fill(scratch_.at(0), scratch_bytes);
  }
}

Speed Bench::cool(const Contest& contest, int pairs) {
  Turns turns(contest, milliseconds_of(contest.ours, *stream_));
  Samples samples;
  Round round(*stream_, turns, pairs_per_burst);
  if (contest.theirs) {
    milliseconds_of(contest.theirs, *stream_);  // its first launch loads code
  }
  while (static_cast<int>(samples.ours.size()) < pairs) {
    stream_->synchronize();
    std::this_thread::sleep_for(rest);
    hold_back(pairs_per_burst * turns.contestants() * turns.launches());
    round.queue();
    round.wait_for_half();
    if (const auto mhz = clock_->mhz()) {
      samples.clocks.push_back(*mhz);
    }
    round.collect(samples);
  }
  return samples.speed(turns.contestants() == 2);
}

Speed Bench::sustained(const Contest& contest, int pairs, double load_seconds) {
  constexpr double round_milliseconds = 20;
  const double estimate = milliseconds_of(contest.ours, *stream_);
  Turns turns(contest, estimate);
  const double pair_milliseconds = estimate * turns.contestants() * turns.launches();
  const int pairs_per_round =
      std::clamp(static_cast<int>(round_milliseconds / pair_milliseconds) / 2 * 2, 2, 64);
  // Two rounds: one runs while the other is queued, so that the GPU never rests.
  Round rounds[] = {{*stream_, turns, pairs_per_round}, {*stream_, turns, pairs_per_round}};
  Samples samples;
  const Clock::time_point start = Clock::now();
  rounds[0].queue();
  for (int i = 1;
       static_cast<int>(samples.ours.size()) < pairs || seconds_since(start) < 1.5 * load_seconds;
       ++i) {
    rounds[i % 2].queue();
    if (seconds_since(start) < load_seconds) {
      Samples unused;
      rounds[(i - 1) % 2].collect(unused);
      continue;
    }
    if (const auto mhz = clock_->mhz()) {
      samples.clocks.push_back(*mhz);
    }
    rounds[(i - 1) % 2].collect(samples);
  }
  stream_->synchronize();
  return samples.speed(turns.contestants() == 2);
}

}  // namespace sample

#endif
