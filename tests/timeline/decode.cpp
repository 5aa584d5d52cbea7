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
using timeline::RawCta;
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

/// A CTA on `sm` whose clock is `ahead` of the chip's, at 2 cycles per nanosecond.
RawCta cta_on(std::uint32_t sm, std::uint64_t ahead, std::uint64_t from_ns, std::uint64_t to_ns) {
  return {.cta = sm,
          .sm = sm,
          .clock_begin = ahead + from_ns * 2,
          .nanoseconds_begin = from_ns,
          .clock_end = ahead + to_ns * 2,
          .nanoseconds_end = to_ns,
          .anchor = anchor};
}

}  // namespace

TEST_CASE("decode: times, names, stages and barriers") {
  RawCta cta = cta_on(0, 1'000'000, 5000, 6000);
  const std::uint64_t at = cta.clock_begin;
  cta.warps.push_back(
      {.warp = 2,
       .role = anchor + 32,
       .count = 2,
       .ended = true,
       .records = {{low(at + 10), low(at + 110), what(Kind::wait, 77, 3), low(anchor + 16)},
                   {low(at + 120), 4096, what(Kind::copy_issue, 77), low(anchor - 16)}}});
  const Trace trace = decode("k", {cta}, name_at);
  REQUIRE(trace.cycles_per_microsecond == Catch::Approx(2000));
  REQUIRE(trace.ctas.front().begin == 0);
  REQUIRE(trace.ctas.front().end == 2000);
  const timeline::Track& track = trace.tracks.front();
  REQUIRE(trace.names[track.role] == "consumer");
  REQUIRE(track.warp == 2);
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
  RawCta cta = cta_on(0, 0x1'ffff'f000, 0, 4'000'000'000);
  const std::uint64_t at = cta.clock_begin;
  cta.warps.push_back({.warp = 0, .role = 0, .count = 3, .ended = true, .records = {}});
  std::uint64_t time = at;
  for (int i = 0; i < 3; ++i) {
    time += 0x9000'0000;  // more than half of 2^32 apart, and across its ends
    cta.warps[0].records.push_back({low(time - 5), low(time), what(Kind::user), low(anchor + 16)});
  }
  const Trace trace = decode("k", {cta}, name_at);
  const auto& events = trace.tracks.front().events;
  for (std::uint64_t i = 0; i < 3; ++i) {
    REQUIRE(events[i].end == (i + 1) * 0x9000'0000);
    REQUIRE(events[i].begin == events[i].end - 5);
  }
}

TEST_CASE("decode: the SMs' clocks are aligned, though the chip's clock is coarse") {
  std::vector<RawCta> ctas;
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (const std::uint32_t sm : {0u, 1u}) {
      RawCta cta = cta_on(sm, sm == 0 ? 5'000'000 : 123, 1000 + i * 1000, 1900 + i * 1000);
      // The chip's clock moves in steps of 32 ns.
      cta.nanoseconds_begin = (cta.nanoseconds_begin + sm * 7 + i * 3) / 32 * 32;
      cta.nanoseconds_end = (cta.nanoseconds_end + sm * 7 + i * 3) / 32 * 32;
      cta.cta = static_cast<std::uint32_t>(i * 2 + sm);
      ctas.push_back(cta);
    }
  }
  const Trace trace = decode("k", ctas, name_at);
  for (std::size_t i = 0; i < trace.ctas.size(); i += 2) {
    const auto first = static_cast<std::int64_t>(trace.ctas[i].begin);
    const auto second = static_cast<std::int64_t>(trace.ctas[i + 1].begin);
    REQUIRE(std::abs(first - second) <= 64);
  }
}

TEST_CASE("decode: overflow is counted, a hung kernel's warps are cut") {
  RawCta cta = cta_on(0, 50, 0, 1000);
  const RawRecord record{low(cta.clock_begin), 1, what(Kind::release), low(anchor + 16)};
  cta.warps.push_back(
      {.warp = 0, .role = 0, .count = 9, .ended = true, .records = {record, record}});
  cta.warps.push_back(
      {.warp = 1, .role = 0, .count = 0, .ended = false, .records = {record, RawRecord{}, record}});
  cta.clock_end = 0;
  cta.nanoseconds_end = 0;
  Trace trace = decode("k", {cta}, name_at);
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
  const Trace trace = decode("k", {}, name_at);
  REQUIRE(trace.events() == 0);
}

TEST_CASE("resolve: on the GPU, engines follow from the waits") {
  RawCta cta = cta_on(0, 0, 0, 1000);
  const auto wait = [](std::uint32_t from, std::uint32_t to, std::uint32_t stage) {
    return RawRecord{from, to, what(Kind::wait, 10 + stage, stage), low(anchor + 16)};
  };
  const auto multiply = [](std::uint32_t at, std::uint32_t cycles) {
    return RawRecord{at, cycles, what(Kind::multiply_issue), low(anchor + 32)};
  };
  const auto done = [](std::uint32_t from, std::uint32_t to, std::uint32_t pending) {
    return RawRecord{from, to, what(Kind::multiply_wait, 0, pending), low(anchor + 32)};
  };
  cta.warps.push_back({.warp = 0,
                       .role = 0,
                       .count = 6,
                       .ended = true,
                       .records = {wait(1, 100, 0), multiply(110, 50), wait(111, 120, 1),
                                   multiply(125, 50), done(126, 170, 1), done(171, 230, 0)}});
  cta.warps.push_back({.warp = 4,
                       .role = 0,
                       .count = 2,
                       .ended = true,
                       .records = {{5, 64, what(Kind::copy_issue, 10), low(anchor + 32)},
                                   {6, 64, what(Kind::copy_issue, 11), low(anchor + 32)}}});
  Trace trace = decode("k", {cta}, name_at);
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
