// From a GPU's buffer to a trace, without a GPU.
#include "timeline/decode.h"

#include <map>

#include "tests/support/catch.h"
#include "timeline/resolve.h"
#include "timeline/summary.h"
#include "warpline/isa/trace_buffer.h"

namespace warpline::tests {

using timeline::decode;
using timeline::Kind;
using timeline::RawRecord;
using timeline::RawWarp;
using timeline::Trace;

namespace {

static_assert(sizeof(RawRecord) == sizeof(isa::TraceRecord));
static_assert(timeline::kinds <= 16, "a record has 4 bits for it");

constexpr std::uint64_t anchor = 0x7f00'0000'1000;

std::string name_at(std::uint64_t address) {
  static const std::map<std::uint64_t, std::string> names{
      {anchor + 16, "full"}, {anchor - 16, "empty"}, {anchor + 32, "consumer"}};
  return names.at(address);
}

std::uint32_t what(Kind kind, std::uint32_t barrier = 0, std::uint32_t stage = 255) {
  return static_cast<std::uint32_t>(kind) | barrier << 4 | stage << 19;
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

RawRecord role() { return {1, 0, what(timeline::raw_role), low(anchor + 32)}; }

/// The only warp of a CTA on `sm` whose clock is `ahead` of the chip's, at 2 cycles per nanosecond.
RawWarp warp_on(std::uint32_t sm, std::uint64_t ahead, std::uint64_t from_ns, std::uint64_t to_ns) {
  return {.cta = sm,
          .sm = sm,
          .warp = 0,
          .warps = 1,
          .begin = {ahead + from_ns * 2, from_ns},
          .end = {ahead + to_ns * 2, to_ns},
          .anchor = anchor,
          .records = {}};
}

RawWarp with_records(RawWarp warp, std::vector<RawRecord> records) {
  warp.count = static_cast<std::uint32_t>(records.size());
  warp.records = std::move(records);
  return warp;
}

}  // namespace

TEST_CASE("decode: times, names, roles, stages and barriers") {
  RawWarp warp = warp_on(0, 1'000'000, 5000, 6000);
  warp.warp = 0;
  const std::uint64_t at = warp.begin.clock;
  warp =
      with_records(warp, {role(),
                          {low(at + 10), low(at + 110), what(Kind::wait, 77, 3), low(anchor + 16)},
                          {low(at + 120), 4096, what(Kind::copy_issue, 77), low(anchor - 16)}});
  const Trace trace = decode("k", {warp}, 1, name_at);
  REQUIRE(trace.cycles_per_microsecond == Catch::Approx(2000));
  REQUIRE(trace.ctas.front().begin == 0);
  REQUIRE(trace.ctas.front().end == 2000);
  const timeline::Track& track = trace.tracks.front();
  REQUIRE(trace.names[track.role] == "consumer");
  REQUIRE(track.warp == 0);
  REQUIRE(track.dropped == 0);
  REQUIRE_FALSE(track.cut);
  REQUIRE(track.events.size() == 2);
  REQUIRE(track.events[0].begin == 10);
  REQUIRE(track.events[0].end == 110);
  REQUIRE(track.events[0].stage == 3);
  REQUIRE(track.events[0].barrier == 77);
  REQUIRE(trace.names[track.events[0].name] == "full");
  REQUIRE(track.events[1].begin == 120);
  REQUIRE(track.events[1].end == 120);
  REQUIRE(track.events[1].amount == 4096);
  REQUIRE(track.events[1].stage == timeline::no_stage);
  REQUIRE(trace.names[track.events[1].name] == "empty");
}

TEST_CASE("decode: the clock's low half wraps") {
  const RawWarp warp = warp_on(0, 0x1'ffff'f000, 0, 4'000'000'000);
  std::uint64_t time = warp.begin.clock;
  std::vector<RawRecord> records;
  for (int i = 0; i < 3; ++i) {
    time += 0x9000'0000;  // more than half of 2^32 apart, and across its ends
    records.push_back({low(time - 5), low(time), what(Kind::user), low(anchor + 16)});
  }
  const Trace trace = decode("k", {with_records(warp, records)}, 1, name_at);
  const auto& events = trace.tracks.front().events;
  for (std::uint64_t i = 0; i < 3; ++i) {
    REQUIRE(events[i].end == (i + 1) * 0x9000'0000);
    REQUIRE(events[i].begin == events[i].end - 5);
  }
}

TEST_CASE("decode: the SMs' clocks are aligned, though the chip's clock is coarse") {
  std::vector<RawWarp> warps;
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (const std::uint32_t sm : {0u, 1u}) {
      RawWarp warp = warp_on(sm, sm == 0 ? 5'000'000 : 123, 1000 + i * 1000, 1900 + i * 1000);
      // The chip's clock moves in steps of 32 ns.
      warp.begin.nanoseconds = (warp.begin.nanoseconds + sm * 7 + i * 3) / 32 * 32;
      warp.end.nanoseconds = (warp.end.nanoseconds + sm * 7 + i * 3) / 32 * 32;
      warp.cta = static_cast<std::uint32_t>(i * 2 + sm);
      warps.push_back(warp);
    }
  }
  const Trace trace = decode("k", warps, 40, name_at);
  REQUIRE(trace.ctas.size() == 40);
  for (std::size_t i = 0; i < trace.ctas.size(); i += 2) {
    const auto first = static_cast<std::int64_t>(trace.ctas[i].begin);
    const auto second = static_cast<std::int64_t>(trace.ctas[i + 1].begin);
    REQUIRE(std::abs(first - second) <= 64);
  }
}

TEST_CASE("decode: a CTA is its warps, in their order, from the first begin to the last end") {
  RawWarp first = warp_on(3, 0, 1000, 1500);
  RawWarp second = warp_on(3, 0, 1010, 1700);
  first.warps = second.warps = 2;
  second.warp = 1;
  const Trace trace = decode("k", {second, first}, 2, name_at);
  REQUIRE(trace.ctas.size() == 1);
  REQUIRE(trace.ctas.front().begin == 0);
  REQUIRE(trace.ctas.front().end == 1400);
  REQUIRE(trace.tracks.size() == 2);
  REQUIRE(trace.tracks[0].warp == 0);
  REQUIRE(trace.tracks[1].warp == 1);
  REQUIRE(trace.dropped_ctas == 0);
}

TEST_CASE("decode: a CTA of which a warp found no room is counted, not shown") {
  RawWarp whole = warp_on(0, 0, 0, 100);
  RawWarp half = warp_on(1, 0, 0, 100);
  whole.warps = half.warps = 2;
  RawWarp other = whole;
  other.warp = 1;
  const Trace trace = decode("k", {whole, other, half}, 6, name_at);
  REQUIRE(trace.ctas.size() == 1);
  REQUIRE(trace.ctas.front().cta == 0);
  REQUIRE(trace.dropped_ctas == 2);
}

TEST_CASE("decode: overflow is counted, a hung kernel's warps are cut") {
  RawWarp full = warp_on(0, 50, 0, 1000);
  const RawRecord record{low(full.begin.clock), 1, what(Kind::release), low(anchor + 16)};
  full = with_records(full, {record, record});
  full.count = 9;
  RawWarp hung = with_records(warp_on(0, 50, 0, 1000), {record, RawRecord{}, record});
  full.warps = hung.warps = 2;
  hung.warp = 1;
  hung.end = {};
  Trace trace = decode("k", {full, hung}, 2, name_at);
  REQUIRE(trace.tracks[0].events.size() == 2);
  REQUIRE(trace.tracks[0].dropped == 7);
  REQUIRE(trace.tracks[1].events.size() == 1);
  REQUIRE(trace.tracks[1].cut);
  timeline::resolve(trace);
  const timeline::Summary summary = timeline::summarize(trace);
  REQUIRE(summary.dropped == 7);
  REQUIRE(summary.cut_warps == 1);
}

TEST_CASE("decode: nothing recorded is an empty trace") {
  const Trace trace = decode("k", {}, 0, name_at);
  REQUIRE(trace.events() == 0);
}

TEST_CASE("resolve: on the GPU, engines follow from the waits") {
  const auto wait = [](std::uint32_t from, std::uint32_t to, std::uint32_t stage) {
    return RawRecord{from, to, what(Kind::wait, 10 + stage, stage), low(anchor + 16)};
  };
  const auto multiply = [](std::uint32_t at, std::uint32_t cycles) {
    return RawRecord{at, cycles, what(Kind::multiply_issue), low(anchor + 32)};
  };
  const auto done = [](std::uint32_t from, std::uint32_t to, std::uint32_t pending) {
    return RawRecord{from, to, what(Kind::multiply_wait, 0, pending), low(anchor + 32)};
  };
  RawWarp consumer = with_records(warp_on(0, 0, 0, 1000),
                                  {wait(1, 100, 0), multiply(110, 50), wait(111, 120, 1),
                                   multiply(125, 50), done(126, 170, 1), done(171, 230, 0)});
  RawWarp producer =
      with_records(warp_on(0, 0, 0, 1000), {{5, 64, what(Kind::copy_issue, 10), low(anchor + 32)},
                                            {6, 64, what(Kind::copy_issue, 11), low(anchor + 32)}});
  consumer.warps = producer.warps = 2;
  producer.warp = 1;
  Trace trace = decode("k", {consumer, producer}, 2, name_at);
  timeline::resolve(trace);
  const std::uint64_t tracks = trace.tracks.size();
  timeline::resolve(trace);
  REQUIRE(trace.tracks.size() == tracks);
  REQUIRE(tracks == 4);
  REQUIRE(trace.landings_derived);
  for (const timeline::Track& track : trace.tracks) {
    if (track.engine == timeline::Engine::copy) {
      REQUIRE(track.events.size() == 2);
      REQUIRE(track.events[0].begin == 5);
      REQUIRE(track.events[0].end == 100);
      REQUIRE(track.events[0].stage == 0);
      REQUIRE(track.events[1].end == 120);
      REQUIRE(track.events[1].stage == 1);
    } else if (track.engine == timeline::Engine::tensor) {
      REQUIRE(track.events.size() == 2);
      REQUIRE(track.events[0].begin == 110);
      REQUIRE(track.events[0].end == 160);
      REQUIRE(track.events[0].stage == 0);
      REQUIRE(track.events[1].begin == 160);
      REQUIRE(track.events[1].end == 210);
      REQUIRE(track.events[1].stage == 1);
    }
  }
  REQUIRE(timeline::summarize(trace).tensor_busy_share == Catch::Approx(100.0 / 2000));
}

}  // namespace warpline::tests
