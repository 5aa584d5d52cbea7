// simulate and its two sisters return what was found; the matchers say what is expected of it.
#include "warpline/simulate.h"

#include "simulator/catch_matchers.h"
#include "tests/simulator/faults/copies.h"
#include "tests/simulator/faults/data.h"
#include "tests/simulator/faults/ordinary.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using simulator::Breaks;
using simulator::FaultKind;
using simulator::IsClean;
using simulator::Policy;
using simulator::Reports;

template <class Body>
using Faulty = FaultKernel<Body, true>;
template <class Body>
using Correct = FaultKernel<Body, false>;

TEST_CASE("simulate returns the fault of one schedule, with its seed") {
  const FaultData data;
  const auto found = simulate<Faulty<CopyNotAwaited>>({1, 1, 1}, data.arguments(), {.seed = 7});
  REQUIRE(found.reports.size() == 1);
  CHECK(found.schedules == 1);
  CHECK(found.reports.front().seed == 7);
  CHECK(found.reports.front().policy == Policy::random);
  CHECK_THAT(simulate<Correct<CopyNotAwaited>>({1, 1, 1}, data.arguments()), IsClean());
}

TEST_CASE("simulate throws what is no fault: a grid that cannot be") {
  const FaultData data;
  CHECK_THROWS_AS(simulate<Correct<CopyNotAwaited>>({0, 1, 1}, data.arguments()), Error);
}

TEST_CASE("explore_kernel and exhaust_kernel") {
  const FaultData data;
  const auto explored =
      explore_kernel<Faulty<OrdinaryRace>>({1, 1, 1}, data.arguments(), {.schedules = 40});
  CHECK(explored.schedules == 40);
  CHECK(explored.reports.size() == 1);
  CHECK_THAT(explored, Breaks("data-race"));
  const auto exhausted = exhaust_kernel<Correct<CopyNotAwaited>>({1, 1, 1}, data.arguments());
  CHECK(exhausted.complete);
  CHECK_THAT(exhausted, IsClean());
  CHECK_THAT(exhaust_kernel<Faulty<CopyNotAwaited>>({1, 1, 1}, data.arguments()),
             Reports(FaultKind::copy_race));
}

TEST_CASE("matchers tell the parties, lines, stages, kinds and rules apart") {
  const FaultData data;
  const auto found = simulate<Faulty<OverwrittenByLoad>>({1, 1, 1}, data.arguments());
  REQUIRE(found.reports.size() == 1);
  const simulator::Report& report = found.reports.front();
  const auto expected = Breaks("overwritten-by-load");
  CHECK_THAT(found, !IsClean());
  CHECK_THAT(found, expected);
  CHECK_THAT(found, !Breaks("data-race"));
  CHECK_THAT(found, Reports(FaultKind::copy_race));
  CHECK_THAT(found, !Reports(FaultKind::deadlock));
  CHECK_THAT(found, expected.by("loader").against("reader").in_stage(0));
  CHECK_THAT(found, !expected.by("reader"));
  CHECK_THAT(found, !expected.against("loader"));
  CHECK_THAT(found, !expected.in_stage(1));
  CHECK_THAT(found, expected.at("faults/copies.h", report.line));
  CHECK_THAT(found, !expected.at("faults/copies.h", report.line + 1));
  CHECK_THAT(found, !expected.at("ordinary.h", report.line));
  CHECK_THAT(found, expected.against_line("copies.h", report.other->line));
  CHECK_THAT(found, !expected.against_line("copies.h", report.line));
}

TEST_CASE("matchers describe what they wanted") {
  CHECK(Breaks("data-race").by("writer").at("k.h", 7).against("reader").in_stage(2).describe() ==
        "has a report of rule 'data-race' by 'writer' at k.h:7 against 'reader' in stage 2");
  CHECK(Reports(FaultKind::leak).against_line("k.h", 9).describe() ==
        "has a report of kind 'leak' against k.h:9");
  CHECK(IsClean().describe() == "is clean");
  CHECK(Catch::StringMaker<simulator::Exploration>::convert({.schedules = 3}) ==
        "no fault in 3 schedules");
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
