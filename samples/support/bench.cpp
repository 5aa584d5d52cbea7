#include "samples/support/bench.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <chrono>
#include <thread>

#include "samples/support/rounds.h"

namespace sample {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t scratch_bytes = std::size_t{256} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Speed speed_of(const Timing& timing) {
  Speed speed{.milliseconds = timing.milliseconds.front(),
              .vendor_milliseconds = {},
              .ratio = {},
              .sm_clock_mhz = timing.sm_clock_mhz,
              .pairs = timing.heats};
  if (timing.milliseconds.size() > 1) {
    speed.vendor_milliseconds = timing.milliseconds[1];
    speed.ratio = timing.ratios[1];
  }
  return speed;
}

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

Timing Bench::cool(const Contest& contest, int heats, const Bursts& bursts) {
  const double estimate = milliseconds_of(contest.contestants.front(), *stream_);
  for (std::size_t i = 1; i < contest.contestants.size(); ++i) {
    contest.contestants[i](0);  // its first launch loads code
  }
  Turns turns(contest, estimate);
  Samples samples(turns.contestants());
  Round round(*stream_, turns, bursts.heats);
  while (samples.heats() < heats) {
    stream_->synchronize();
    std::this_thread::sleep_for(bursts.rest);
    hold_back(bursts.heats * static_cast<int>(turns.contestants()) * turns.launches());
    round.queue();
    round.wait_for_half();
    if (const auto mhz = clock_->mhz()) {
      samples.clocks.push_back(*mhz);
    }
    round.collect(samples);
  }
  return samples.timing();
}

Timing Bench::sustained(const Contest& contest, int heats, double load_seconds) {
  constexpr double round_milliseconds = 20;
  const double estimate = milliseconds_of(contest.contestants.front(), *stream_);
  Turns turns(contest, estimate);
  const double heat_milliseconds =
      estimate * static_cast<double>(turns.contestants()) * turns.launches();
  const int heats_per_round =
      std::clamp(static_cast<int>(round_milliseconds / heat_milliseconds) / 2 * 2, 2, 64);
  // Two rounds: one runs while the other is queued, so that the GPU never rests.
  Round rounds[] = {{*stream_, turns, heats_per_round}, {*stream_, turns, heats_per_round}};
  Samples samples(turns.contestants());
  const Clock::time_point start = Clock::now();
  rounds[0].queue();
  for (int i = 1; samples.heats() < heats || seconds_since(start) < 1.5 * load_seconds; ++i) {
    rounds[i % 2].queue();
    if (seconds_since(start) < load_seconds) {
      Samples unused(turns.contestants());
      rounds[(i - 1) % 2].collect(unused);
      continue;
    }
    if (const auto mhz = clock_->mhz()) {
      samples.clocks.push_back(*mhz);
    }
    rounds[(i - 1) % 2].collect(samples);
  }
  stream_->synchronize();
  return samples.timing();
}

Timing Bench::quick(const Contest& contest, int heats, double estimate) {
  Turns turns(contest, estimate);
  Samples samples(turns.contestants());
  Round round(*stream_, turns, heats);
  hold_back(heats * static_cast<int>(turns.contestants()) * turns.launches());
  round.queue();
  round.collect(samples);
  return samples.timing();
}

int Bench::heats_within(double milliseconds, const Contest& contest, int most) const {
  // A stream takes about a thousand launches before it makes the host wait.
  constexpr int most_launches = 600;
  const double estimate = milliseconds_of(contest.contestants.front(), *stream_);
  const int launches = static_cast<int>(contest.contestants.size()) * Turns::launches_for(estimate);
  const double wanted =
      std::min(milliseconds / (estimate * launches), static_cast<double>(most_launches) / launches);
  return std::clamp(static_cast<int>(wanted), 1, most);
}

}  // namespace sample

#endif
