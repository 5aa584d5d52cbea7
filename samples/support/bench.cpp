#include "samples/support/bench.h"

#if WARPLINE_HAS_GPU

#include <algorithm>
#include <chrono>
#include <thread>

#include "samples/support/rounds.h"

namespace sample {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int pairs_per_burst = 3;
constexpr std::chrono::milliseconds rest(250);
constexpr std::size_t scratch_bytes = std::size_t{256} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
