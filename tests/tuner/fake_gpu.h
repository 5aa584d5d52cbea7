// Candidates whose true times are known, timed by a GPU that is noisy and whose clock drifts. Its
// time passes only while something is measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tuner/measure.h"

namespace warpline::tuner::tests {

struct FakeGpuConfig {
  unsigned seed = 1;
  double noise = 0.01;
  /// How much slower it becomes while it heats up, with a time constant of a second, and how much
  /// it swings, once in 0.7 seconds.
  double heat = 0.15;
  double swing = 0.04;
  /// Samples that something else delays, by half.
  double hiccups = 0.02;
  double check_milliseconds = 3;
  /// Rests before each group, if not 0.
  double rest_milliseconds = 0;
};

class FakeGpu : public Measure {
 public:
  FakeGpu(std::vector<double> true_milliseconds, FakeGpuConfig config)
      : times_(std::move(true_milliseconds)),
        config_(config),
        random_(config.seed),
        samples(times_.size()),
        checks(times_.size()) {}

  Outcome check(std::size_t candidate) override {
    ++checks[candidate];
    now_ += (times_[candidate] + config_.check_milliseconds) / 1000;
    const auto found = bad_checks.find(candidate);
    return found == bad_checks.end() ? Outcome{} : found->second;
  }

  Outcome time(std::size_t candidate) override {
    ++samples[candidate];
    const auto found_load = under_load.find(candidate);
    const double slower = found_load == under_load.end() ? 0.0 : found_load->second * load_;
    const double milliseconds = times_[candidate] * (1 + slower) * drift() * noise();
    now_ += milliseconds / 1000;
    load_ = 1 - (1 - load_) * std::exp(-milliseconds / load_milliseconds);
    if (const auto found = bad_times.find(candidate); found != bad_times.end()) {
      return found->second;
    }
    return {.milliseconds = milliseconds};
  }

  bool rest() override {
    now_ += config_.rest_milliseconds / 1000;
    load_ *= std::exp(-config_.rest_milliseconds / load_milliseconds);
    return config_.rest_milliseconds > 0;
  }

  double seconds() override { return now_; }

  std::size_t best() const {
    return static_cast<std::size_t>(std::min_element(times_.begin(), times_.end()) -
                                    times_.begin());
  }
  double true_time(std::size_t candidate) const { return times_[candidate]; }

 private:
  double drift() const {
    return 1 + config_.heat * (1 - std::exp(-now_)) +
           config_.swing * std::sin(now_ * 2 * 3.14159 / 0.7);
  }
  double noise() {
    const double hiccup =
        std::uniform_real_distribution<double>(0, 1)(random_) < config_.hiccups ? 1.5 : 1.0;
    return hiccup * std::exp(std::normal_distribution<double>(0, config_.noise)(random_));
  }

  std::vector<double> times_;
  FakeGpuConfig config_;
  std::mt19937 random_;
  double now_ = 1000;
  /// 0 after a long rest, 1 after long work.
  double load_ = 0;
  static constexpr double load_milliseconds = 20;

 public:
  std::vector<int> samples;
  std::vector<int> checks;
  std::map<std::size_t, Outcome> bad_checks;
  std::map<std::size_t, Outcome> bad_times;
  /// How much slower a candidate is at full load than when the GPU is cool.
  std::map<std::size_t, double> under_load;
};

/// As a matmul's: some parameters matter much, others little; many bad ones, a few good ones.
inline std::vector<double> landscape(std::size_t candidates, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<double> stages(6);
  std::vector<double> tiles(4);
  std::vector<double> depths(3);
  for (double& cost : stages) {
    cost = 1 + 0.3 * any(random) * any(random);
  }
  for (double& cost : tiles) {
    cost = 1 + 0.8 * any(random);
  }
  for (double& cost : depths) {
    cost = 1 + 1.5 * any(random);
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < candidates; ++i) {
    times.push_back(1.5 * stages[i % 6] * tiles[i / 6 % 4] * depths[i / 24 % 3] *
                    (1 + 0.02 * any(random)));
  }
  return times;
}

}  // namespace warpline::tuner::tests
