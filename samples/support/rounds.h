// Pairs of timings on the GPU, queued together: whose turn it is, the events between, and what they
// say.
#pragma once

#include "samples/support/bench.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace sample {

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

}  // namespace sample

#endif
