// Heats on the GPU, queued together: whose turn it is, the events between, and what they say.
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
  explicit Samples(std::size_t contestants) : times(contestants), ratios(contestants) {}

  /// One heat's times, in the contestants' order.
  void add(const std::vector<double>& heat) {
    for (std::size_t i = 0; i < heat.size(); ++i) {
      times[i].push_back(heat[i]);
      ratios[i].push_back(heat[i] / heat.front());
    }
  }

  int heats() const { return static_cast<int>(times.front().size()); }

  Timing timing() const {
    Timing timing;
    for (std::size_t i = 0; i < times.size(); ++i) {
      timing.milliseconds.push_back(median(times[i]));
      timing.ratios.push_back(median(ratios[i]));
    }
    if (!clocks.empty()) {
      timing.sm_clock_mhz = median(clocks);
    }
    timing.heats = heats();
    return timing;
  }

  std::vector<std::vector<double>> times;
  std::vector<std::vector<double>> ratios;
  std::vector<int> clocks;
};

/// Whose turn it is, with which operands, and how many launches make one timing.
class Turns {
 public:
  Turns(const Contest& contest, double shortest_milliseconds)
      : contest_(&contest), launches_(launches_for(shortest_milliseconds)) {}

  /// Events cost microseconds: a timing of short launches takes several.
  static int launches_for(double milliseconds) {
    return std::clamp(static_cast<int>(std::ceil(0.1 / std::max(milliseconds, 1e-3))), 1, 20);
  }

  int launches() const { return launches_; }
  std::size_t contestants() const { return contest_->contestants.size(); }

  /// Numbers `count` heats; the first of them.
  std::size_t next_heats(std::size_t count) {
    const std::size_t first = next_heat_;
    next_heat_ += count;
    return first;
  }

  /// Who comes at a place of a heat. Each goes first equally often, and in every other turn around
  /// the order is reversed: nobody always follows the same one.
  std::size_t contestant(std::size_t heat, std::size_t place) const {
    const std::size_t n = contestants();
    return heat / n % 2 == 0 ? (heat + place) % n : (heat % n + n - place) % n;
  }

  void take(std::size_t contestant) {
    for (int i = 0; i < launches_; ++i) {
      contest_->contestants[contestant](next_set_++ % contest_->sets);
    }
  }

 private:
  const Contest* contest_;
  int launches_;
  std::size_t next_set_ = 0;
  std::size_t next_heat_ = 0;
};

/// Heats that are queued together.
class Round {
 public:
  Round(const GpuStream& stream, Turns& turns, int heats)
      : stream_(&stream),
        turns_(&turns),
        heats_(static_cast<std::size_t>(heats)),
        events_(heats_ * turns.contestants() + 1) {}

  void queue() {
    first_heat_ = turns_->next_heats(heats_);
    events_.front().record(*stream_);
    for (std::size_t i = 0; i + 1 < events_.size(); ++i) {
      turns_->take(contestant(i));
      events_[i + 1].record(*stream_);
    }
  }

  void wait_for_half() const { events_[events_.size() / 2].wait(); }

  void collect(Samples& samples) const {
    events_.back().wait();
    std::vector<double> heat(turns_->contestants());
    for (std::size_t i = 0; i + 1 < events_.size(); ++i) {
      heat[contestant(i)] = events_[i + 1].milliseconds_since(events_[i]) / turns_->launches();
      if ((i + 1) % heat.size() == 0) {
        samples.add(heat);
      }
    }
  }

 private:
  std::size_t contestant(std::size_t timing) const {
    const std::size_t n = turns_->contestants();
    return turns_->contestant(first_heat_ + timing / n, timing % n);
  }

  const GpuStream* stream_;
  Turns* turns_;
  std::size_t heats_;
  std::size_t first_heat_ = 0;
  std::deque<GpuEvent> events_;
};

}  // namespace sample

#endif
