// The race on synthetic costs, with noise, drift and hiccups.
#include "tuner/race.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/tuner/fake_gpu.h"

namespace warpline::tuner::tests {
namespace {

RaceResult run(FakeGpu& gpu, std::size_t candidates, RaceOptions options = {}) {
  options.budget_seconds = options.budget_seconds == 60 ? 1e9 : options.budget_seconds;
  return race(candidates, gpu, options);
}

// Ratio of the true time of what was found to the best there is.
double regret(const FakeGpu& gpu, const RaceResult& result) {
  REQUIRE(result.winner().has_value());
  return gpu.true_time(*result.winner()) / gpu.true_time(gpu.best());
}

TEST_CASE("race: within 3 % of the best of an exhaustive run in a quarter of its time") {
  for (const std::size_t candidates : {36, 72, 144}) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
      INFO(candidates << " candidates, seed " << seed);
      const std::vector<double> times = landscape(candidates, seed);
      FakeGpu everything(times, {.seed = seed});
      const RaceResult exhaustive = run(everything, candidates, {.exhaustive = true});
      FakeGpu gpu(times, {.seed = seed + 1000});
      const RaceResult result = run(gpu, candidates, {.seed = seed});
      CHECK(result.ending == Ending::decided);
      CHECK(result.complete);
      REQUIRE(exhaustive.winner().has_value());
      REQUIRE(result.winner().has_value());
      CHECK(gpu.true_time(*result.winner()) <= 1.03 * gpu.true_time(*exhaustive.winner()));
      CHECK(result.seconds <= 0.25 * exhaustive.seconds);
    }
  }
}

TEST_CASE("race: an exhaustive run takes every sample of everyone") {
  FakeGpu gpu(landscape(10, 1), {});
  const RaceResult result = run(gpu, 10, {.samples = 7, .exhaustive = true});
  for (const RaceResult::Standing& standing : result.standings) {
    CHECK(standing.samples == 7);
  }
  CHECK(result.standings.size() == 10);
  CHECK(regret(gpu, result) < 1.02);
}

TEST_CASE("race: the clock's drift alone would mislead") {
  // Ten that are equal but for one, 2 % faster, timed while the GPU becomes 40 % slower.
  std::vector<double> times(10, 2.0);
  times[7] = 1.96;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    FakeGpu gpu(times, {.seed = seed, .noise = 0.002, .heat = 0.4, .swing = 0.1, .hiccups = 0});
    CHECK(run(gpu, 10, {.tolerance = 0.002, .seed = seed}).winner() == std::size_t{7});
  }
}

TEST_CASE("race: with rests the cool are compared, without them those at work") {
  std::vector<double> times(12, 2.0);
  times[3] = 1.8;  // when cool
  times[8] = 1.9;
  for (const double rest : {0.0, 100.0}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      INFO("rests of " << rest << " ms, seed " << seed);
      FakeGpu gpu(times, {.seed = seed, .noise = 0.002, .rest_milliseconds = rest});
      gpu.under_load[3] = 0.2;
      CHECK(run(gpu, 12, {.tolerance = 0.005, .seed = seed}).winner() ==
            (rest > 0 ? std::size_t{3} : std::size_t{8}));
    }
  }
}

TEST_CASE("race: with rests, too, in a quarter of an exhaustive run's time") {
  for (const std::size_t candidates : {36, 144}) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
      INFO(candidates << " candidates, seed " << seed);
      const std::vector<double> times = landscape(candidates, seed);
      FakeGpu everything(times, {.seed = seed, .heat = 0, .rest_milliseconds = 60});
      const RaceResult exhaustive = run(everything, candidates, {.exhaustive = true});
      FakeGpu gpu(times, {.seed = seed + 1000, .heat = 0, .rest_milliseconds = 60});
      const RaceResult result = run(gpu, candidates, {.seed = seed});
      REQUIRE(exhaustive.winner().has_value());
      REQUIRE(result.winner().has_value());
      CHECK(gpu.true_time(*result.winner()) <= 1.03 * gpu.true_time(*exhaustive.winner()));
      CHECK(result.seconds <= 0.25 * exhaustive.seconds);
    }
  }
}

TEST_CASE("race: the hopeless are stopped early, everyone is checked once") {
  std::vector<double> times(40, 10.0);
  for (std::size_t i = 0; i < 4; ++i) {
    times[i] = 2 + 0.01 * static_cast<double>(i);
  }
  FakeGpu gpu(times, {});
  run(gpu, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    INFO("candidate " << i);
    CHECK(gpu.checks[i] == 1);
    if (i >= 4) {
      CHECK(gpu.samples[i] <= 2);
    }
  }
}

TEST_CASE("race: a slow first reference is replaced") {
  std::vector<double> times(30, 2.0);
  times[0] = 30;
  FakeGpu gpu(times, {.noise = 0.01});
  const RaceResult result = run(gpu, 30);
  CHECK(regret(gpu, result) < 1.01);
  // Ten reference samples in the first pass.
  CHECK(gpu.samples[0] <= 14);
}

TEST_CASE("race: a hiccup in a sample does not lose it") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    FakeGpu gpu(landscape(36, seed), {.seed = seed, .noise = 0.005, .hiccups = 0.1});
    CHECK(regret(gpu, run(gpu, 36, {.seed = seed})) <= 1.03);
  }
}

TEST_CASE("race: the budget is kept") {
  const std::vector<double> times = landscape(72, 3);
  const double slowest = *std::max_element(times.begin(), times.end()) * 1.5 / 1000;
  for (const double budget : {0.01, 0.1, 0.3, 0.6}) {
    INFO(budget << " seconds");
    FakeGpu gpu(times, {});
    const RaceResult result = run(gpu, 72, {.budget_seconds = budget});
    CHECK(result.seconds <= budget + 2 * slowest);
    CHECK(result.ending == Ending::out_of_time);
    CHECK(result.winner().has_value() == (budget > 0.05));
  }
  FakeGpu gpu(times, {});
  const RaceResult little = run(gpu, 72, {.budget_seconds = 0.1});
  CHECK_FALSE(little.complete);
  FakeGpu none(times, {});
  CHECK_FALSE(run(none, 72, {.budget_seconds = -1}).winner().has_value());
}

TEST_CASE("race: who fails or is wrong is excluded and named") {
  std::vector<double> times(12, 3.0);
  times[5] = 1;
  times[6] = 1;
  times[7] = 1;
  times[9] = 2;
  FakeGpu gpu(times, {});
  gpu.bad_checks[5] = {.state = Outcome::State::wrong, .why = "relative error 0.5"};
  gpu.bad_checks[6] = {.state = Outcome::State::failed, .why = "launch failed"};
  gpu.bad_times[7] = {.state = Outcome::State::failed, .why = "timed out"};
  const RaceResult result = run(gpu, 12);
  CHECK(result.winner() == std::size_t{9});
  CHECK(result.complete);
  REQUIRE(result.excluded.size() == 3);
  for (const RaceResult::Excluded& excluded : result.excluded) {
    CHECK(excluded.outcome.why == (excluded.candidate == 5   ? "relative error 0.5"
                                   : excluded.candidate == 6 ? "launch failed"
                                                             : "timed out"));
    CHECK((excluded.outcome.state == Outcome::State::wrong) == (excluded.candidate == 5));
    CHECK(gpu.samples[excluded.candidate] <= 1);
  }
}

TEST_CASE("race: the reference itself may be excluded") {
  std::vector<double> times(9, 3.0);
  times[4] = 2;
  FakeGpu never(times, {});
  never.bad_checks[0] = {.state = Outcome::State::failed, .why = "no"};
  CHECK(run(never, 9).winner() == std::size_t{4});
  FakeGpu later(times, {});
  later.bad_times[0] = {.state = Outcome::State::failed, .why = "no"};
  const RaceResult result = run(later, 9);
  CHECK(result.winner() == std::size_t{4});
  REQUIRE(result.excluded.size() == 1);
  CHECK(result.excluded[0].candidate == 0);

  // In the middle: the fourth timing of the reference fails.
  struct FailsLater : FakeGpu {
    using FakeGpu::FakeGpu;
    Outcome time(std::size_t candidate) override {
      Outcome outcome = FakeGpu::time(candidate);
      if (candidate == 0 && samples[0] == 4) {
        outcome.state = Outcome::State::failed;
        outcome.why = "the fourth";
      }
      return outcome;
    }
  };
  FailsLater middle(times, {});
  const RaceResult after = run(middle, 9);
  CHECK(after.winner() == std::size_t{4});
  CHECK(after.complete);
  REQUIRE(after.excluded.size() == 1);
  CHECK(after.excluded[0].outcome.why == "the fourth");
}

TEST_CASE("race: a time that is no time excludes") {
  FakeGpu gpu({2.0, 2.0, 3.0}, {});
  gpu.bad_times[0] = {.milliseconds = 0};
  gpu.bad_times[1] = {.milliseconds = std::nan("")};
  const RaceResult result = run(gpu, 3);
  CHECK(result.winner() == std::size_t{2});
  REQUIRE(result.excluded.size() == 2);
  CHECK(result.excluded[0].outcome.why == "its time is not positive");
}

TEST_CASE("race: nobody, one, or nobody that works") {
  FakeGpu none({}, {});
  CHECK_FALSE(run(none, 0).winner().has_value());
  CHECK(run(none, 0).complete);
  FakeGpu one({2.0}, {});
  CHECK(run(one, 1).winner() == std::size_t{0});
  FakeGpu broken({2.0, 3.0}, {});
  broken.bad_checks[0] = broken.bad_checks[1] = {.state = Outcome::State::wrong, .why = "w"};
  const RaceResult result = run(broken, 2);
  CHECK_FALSE(result.winner().has_value());
  CHECK(result.excluded.size() == 2);
}

TEST_CASE("race: of equals the first, every time") {
  FakeGpu gpu(std::vector<double>(20, 2.0),
              {.noise = 0, .heat = 0, .swing = 0, .hiccups = 0, .check_milliseconds = 0});
  const RaceResult result = run(gpu, 20);
  CHECK(result.winner() == std::size_t{0});
  CHECK(result.ending == Ending::decided);
}

TEST_CASE("race: equals end it soon, not at the last sample") {
  FakeGpu gpu(std::vector<double>(20, 2.0), {.noise = 0.003});
  run(gpu, 20);
  CHECK(*std::max_element(gpu.samples.begin() + 1, gpu.samples.end()) < 10);
}

TEST_CASE("race: a stop ends it with what is known") {
  std::atomic<bool> stop = false;
  struct Stops : FakeGpu {
    using FakeGpu::FakeGpu;
    std::atomic<bool>* stop = nullptr;
    Outcome time(std::size_t candidate) override {
      *stop = candidate == 3 || *stop;
      return FakeGpu::time(candidate);
    }
  };
  Stops gpu(landscape(30, 1), {});
  gpu.stop = &stop;
  const RaceResult result = run(gpu, 30, {.stop = &stop});
  CHECK(result.ending == Ending::interrupted);
  CHECK_FALSE(result.complete);
  CHECK(result.winner().has_value());
}

TEST_CASE("race: what the measure throws comes through") {
  struct Throws : FakeGpu {
    using FakeGpu::FakeGpu;
    Outcome check(std::size_t candidate) override {
      if (candidate == 2) {
        throw std::runtime_error("the GPU is gone");
      }
      return FakeGpu::check(candidate);
    }
  };
  Throws gpu(landscape(5, 1), {});
  CHECK_THROWS_WITH(run(gpu, 5), "the GPU is gone");
}

TEST_CASE("race: the same seed repeats it, progress is reported") {
  struct Records : RaceObserver {
    std::vector<RaceProgress> seen;
    void update(const RaceProgress& progress) override { seen.push_back(progress); }
  };
  Records records[2];
  std::optional<std::size_t> winners[2];
  for (int i = 0; i < 2; ++i) {
    FakeGpu gpu(landscape(36, 9), {});
    const RaceResult result = race(36, gpu, {.budget_seconds = 5, .seed = 4}, &records[i]);
    winners[i] = result.winner();
  }
  CHECK(winners[0] == winners[1]);
  REQUIRE(records[0].seen.size() == records[1].seen.size());
  REQUIRE(records[0].seen.size() > 36);
  for (std::size_t i = 1; i < records[0].seen.size(); ++i) {
    const RaceProgress& now = records[0].seen[i];
    CHECK(now.seconds >= records[0].seen[i - 1].seconds);
    CHECK(now.seconds_left >= 0);
    CHECK(now.seconds + now.seconds_left <= 5.001);
    CHECK(now.timed <= 36);
  }
  CHECK(records[0].seen.back().timed == 36);
  CHECK(records[0].seen.back().best == winners[0]);
}

}  // namespace
}  // namespace warpline::tuner::tests
