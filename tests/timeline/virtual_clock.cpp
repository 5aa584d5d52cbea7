// Policy::timed: times follow from the cost model, and results do not.
#include "simulator/virtual_clock.h"

#include "tests/support/catch.h"
#include "tests/timeline/recorded.h"
#include "timeline/resolve.h"
#include "timeline/summary.h"

namespace warpline::tests {

using simulator::CostModel;
using simulator::VirtualClock;
using timeline::Kind;

TEST_CASE("virtual clock: cycles of a multiply by shape") {
  // N / 2 where the tensor cores are the limit; else what shared memory takes at 128 bytes a cycle.
  REQUIRE(VirtualClock::cycles_of_multiply(256, false) == 128);
  REQUIRE(VirtualClock::cycles_of_multiply(128, false) == 64);
  REQUIRE(VirtualClock::cycles_of_multiply(64, false) == 32);
  REQUIRE(VirtualClock::cycles_of_multiply(8, false) == 18);
  REQUIRE(VirtualClock::cycles_of_multiply(8, true) == 4);
}

TEST_CASE("virtual clock: multiplies of one multiprocessor queue, of two do not") {
  VirtualClock clock({}, 2);
  std::uint64_t done = 0;
  REQUIRE(clock.multiply(0, 128, false, 100, done) == 100);
  REQUIRE(done == 164);
  REQUIRE(clock.multiply(0, 128, false, 110, done) == 164);
  REQUIRE(done == 228);
  REQUIRE(clock.multiply(1, 128, false, 110, done) == 110);
  REQUIRE(clock.multiply(0, 128, false, 1000, done) == 1000);
}

TEST_CASE("virtual clock: loads share the way into a multiprocessor") {
  const CostModel costs{.load_latency = 500,
                        .dram_latency = 0,
                        .load_bytes_per_cycle = 64,
                        .dram_bytes_per_cycle = 1e6};
  VirtualClock clock(costs, 2);
  REQUIRE(clock.load(0, 1, 6400, 0) == 600);
  REQUIRE(clock.load(0, 1, 6400, 0) == 700);
  REQUIRE(clock.load(1, 1, 6400, 0) == 600);
}

TEST_CASE("virtual clock: what is not in L2 comes later") {
  const CostModel costs{.load_latency = 500, .dram_latency = 300, .l2_reuse = 1};
  VirtualClock clock(costs, 1);
  REQUIRE(clock.load(0, 1, 64, 0) == 801);
  REQUIRE(clock.load(0, 1, 64, 2000) == 2501);
}

namespace {

std::uint64_t cycles_with(const CostModel& costs, int stages = 2) {
  RecordedMatmul matmul{.stages = stages, .m = 128, .n = 128, .k = 1024};
  matmul.options.costs = costs;
  timeline::Trace trace = matmul.run();
  REQUIRE(matmul.correct);
  return trace.ctas.front().end;
}

}  // namespace

TEST_CASE("virtual clock: a single CTA is bound by its loop's latencies") {
  // Two stages: each turn of the ring waits for a load that is issued when the stage is free.
  const CostModel fast{.load_latency = 0, .dram_latency = 0, .load_bytes_per_cycle = 1e6};
  const CostModel slow{.load_latency = 5000, .dram_latency = 0, .load_bytes_per_cycle = 1e6};
  // 16 k tiles in 8 turns.
  const std::uint64_t difference = cycles_with(slow) - cycles_with(fast);
  REQUIRE(difference > 8 * 5000 - 8 * 1024);
  REQUIRE(difference < 8 * 5000);
  // Without latencies, the multiplies alone: 16 x 512 cycles, and some for the hand-overs.
  REQUIRE(cycles_with(fast) > 16 * 512);
  REQUIRE(cycles_with(fast) < 16 * 640 + 3000);
}

TEST_CASE("virtual clock: more stages hide more latency") {
  const CostModel slow{.load_latency = 2000};
  REQUIRE(cycles_with(slow, 4) + 5000 < cycles_with(slow, 2));
}

TEST_CASE("virtual clock: as many CTAs reside on a multiprocessor as on the GPU") {
  const auto resident = [](const RecordedMatmul& matmul) {
    const timeline::Trace trace = matmul.run();
    return std::count_if(trace.ctas.begin(), trace.ctas.end(), [&](const timeline::CtaSpan& span) {
      return span.begin == trace.ctas.front().begin;
    });
  };
  // Two CTAs of 64 KB, by the plan's registers; one of 128 KB; what the user says.
  REQUIRE(resident({.m = 512}) == 2);
  REQUIRE(resident({.stages = 4, .m = 512}) == 1);
  RecordedMatmul wide{.m = 512};
  wide.options.multiprocessors = 2;
  REQUIRE(resident(wide) == 4);
  wide.options.ctas_per_multiprocessor = 3;
  REQUIRE(resident(wide) == 6);
}

TEST_CASE("virtual clock: two CTAs keep the tensor cores busier than one") {
  const auto busy = [](int ctas) {
    RecordedMatmul matmul{.m = 512, .n = 256, .k = 2048};
    matmul.options.ctas_per_multiprocessor = ctas;
    timeline::Trace trace = matmul.run();
    timeline::resolve(trace);
    return timeline::summarize(trace).tensor_busy_share;
  };
  const double one = busy(1);
  const double two = busy(2);
  INFO(one << " " << two);
  REQUIRE(two > one + 0.2);
  REQUIRE(two < 1);
}

}  // namespace warpline::tests
