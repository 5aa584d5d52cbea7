// The ladder's tuner on the GPU: a race of what is built, and candidates that are wrong or fail.
#include <algorithm>

#include "samples/ladder/catalog.h"
#include "samples/ladder/gpu_measure.h"
#include "tests/support/catch.h"
#include "tuner/race.h"
#include "warpline/error.h"

namespace ladder {
namespace {

using warpline::MatmulKernel;
using warpline::MatmulPlace;
using warpline::MatmulProblem;
using warpline::tuner::Outcome;

constexpr sample::Size size{.m = 1000, .n = 1032, .k = 520};

TEST_CASE("tuning on the GPU: every version has a winner, nobody is excluded") {
  TuningProblem problem(size, 1);
  for (int version = 0; version < 6; ++version) {
    INFO("v" << version);
    const auto all = candidates(gpu_kernels(), version, {});
    GpuMeasure measure(problem, all, version % 2 == 0 ? Load::cool : Load::sustained);
    const auto result = warpline::tuner::race(all.size(), measure, {.budget_seconds = 20});
    CHECK(result.complete);
    CHECK(result.excluded.empty());
    REQUIRE(result.winner().has_value());
    CHECK(result.standings.front().milliseconds > 0);
  }
}

TEST_CASE("tuning on the GPU: who is wrong or fails is excluded, the others go on") {
  const auto all = candidates(gpu_kernels(), 3, {});
  const Candidate good = all.front();
  MatmulKernel lazy = *good.kernel;
  lazy.launch = [](const MatmulProblem&, const MatmulPlace&, const void*) {};
  MatmulKernel broken = *good.kernel;
  broken.launch = [](const MatmulProblem&, const MatmulPlace&, const void*) {
    throw warpline::Error("it does not want to");
  };
  const std::vector<Candidate> some{{&lazy, 0}, good, {&broken, 0}};
  TuningProblem problem(size, 1);
  GpuMeasure measure(problem, some, Load::cool);
  const auto result = warpline::tuner::race(some.size(), measure, {.budget_seconds = 20});
  CHECK(result.winner() == std::size_t{1});
  REQUIRE(result.excluded.size() == 2);
  for (const auto& excluded : result.excluded) {
    CHECK(excluded.outcome.state ==
          (excluded.candidate == 0 ? Outcome::State::wrong : Outcome::State::failed));
  }
}

}  // namespace
}  // namespace ladder
