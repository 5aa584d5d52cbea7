// Shares, bubbles and their causes, on a trace made by hand and on recorded ones.
#include "timeline/summary.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/timeline/recorded.h"
#include "timeline/resolve.h"

namespace warpline::tests {

using Catch::Matchers::ContainsSubstring;
using timeline::Engine;
using timeline::Event;
using timeline::Kind;
using timeline::Summary;
using timeline::Trace;

namespace {

/// 1000 cycles of one CTA. The consumer waits 600 cycles for full stage 2, because the producer
/// waited for empty stage 2.
Trace by_hand() {
  Trace trace;
  trace.kernel = "by hand";
  trace.target = "simulator";
  trace.unit = "virtual cycles";
  trace.cycles_per_microsecond = 1000;
  const std::uint32_t full = trace.name("full");
  const std::uint32_t empty = trace.name("empty");
  const std::uint32_t consumer = trace.name("consumer");
  const std::uint32_t producer = trace.name("producer");
  trace.ctas = {{.cta = 0, .sm = 3, .begin = 0, .end = 1000}};
  const auto wait = [](std::uint64_t from, std::uint64_t to, std::uint32_t name,
                       std::uint16_t barrier) {
    return Event{
        .begin = from, .end = to, .name = name, .stage = 2, .barrier = barrier, .kind = Kind::wait};
  };
  const auto moment = [](Kind kind, std::uint64_t at, std::uint32_t amount,
                         std::uint16_t barrier = 0) {
    return Event{.begin = at, .end = at, .amount = amount, .barrier = barrier, .kind = kind};
  };
  trace.tracks.push_back(
      {.sm = 3,
       .warp = 0,
       .role = consumer,
       .events = {wait(0, 100, full, 7), moment(Kind::multiply_issue, 100, 100),
                  Event{.begin = 100, .end = 200, .kind = Kind::multiply_wait},
                  wait(200, 800, full, 7), moment(Kind::multiply_issue, 800, 200),
                  Event{.begin = 800, .end = 1000, .kind = Kind::multiply_wait}}});
  trace.tracks.push_back({.sm = 3,
                          .warp = 4,
                          .role = producer,
                          .events = {moment(Kind::copy_issue, 10, 64, 7), wait(20, 700, empty, 8),
                                     moment(Kind::copy_issue, 700, 64, 7)}});
  trace.tracks.push_back(
      {.engine = Engine::copy,
       .sm = 3,
       .events = {{.begin = 10, .end = 100, .amount = 64, .barrier = 7, .kind = Kind::copy},
                  {.begin = 700, .end = 800, .amount = 64, .barrier = 7, .kind = Kind::copy}}});
  trace.tracks.push_back(
      {.engine = Engine::tensor,
       .sm = 3,
       .events = {{.begin = 100, .end = 200, .amount = 100, .kind = Kind::multiply},
                  {.begin = 800, .end = 1000, .amount = 200, .kind = Kind::multiply}}});
  return trace;
}

}  // namespace

TEST_CASE("summary: shares, the longest bubble and its cause") {
  Trace trace = by_hand();
  timeline::resolve(trace);
  const Summary summary = timeline::summarize(trace);
  REQUIRE(summary.cycles == 1000);
  REQUIRE(summary.microseconds == Catch::Approx(1));
  REQUIRE(summary.tensor_busy_share == Catch::Approx(0.3));
  REQUIRE(summary.roles.size() == 2);
  const auto& consumer = summary.roles[0].role == "consumer" ? summary.roles[0] : summary.roles[1];
  REQUIRE(consumer.waiting_share == Catch::Approx(1.0));
  REQUIRE(consumer.shares[0].name == "full");
  REQUIRE(consumer.shares[0].share == Catch::Approx(0.7));
  REQUIRE(consumer.shares[0].count == 2);
  REQUIRE(summary.has_bubble);
  REQUIRE(summary.longest.cycles == 600);
  REQUIRE(summary.longest.sm == 3);
  REQUIRE(summary.longest.begin == 200);
  REQUIRE(summary.longest.cause ==
          "consumer waits for full stage 2: the producer was waiting for empty stage 2");
  REQUIRE(summary.longest.gain == Catch::Approx(1000.0 / 400 - 1));
  REQUIRE(summary.bubbles.front().cause ==
          "consumer waits for full: the producer was waiting for empty");
}

TEST_CASE("summary: a load that takes long is told from a producer that was late") {
  Trace trace = by_hand();
  trace.tracks[1].events = {trace.tracks[1].events[0], trace.tracks[1].events[2]};
  trace.tracks[1].events[1].begin = 190;
  trace.tracks[1].events[1].end = 190;
  trace.tracks[2].events[1].begin = 190;
  timeline::resolve(trace);
  REQUIRE(timeline::summarize(trace).longest.cause ==
          "consumer waits for full stage 2: the load was under way, issued 10 cycles before");
}

TEST_CASE("summary: words and JSON say the same") {
  Trace trace = by_hand();
  timeline::resolve(trace);
  const Summary summary = timeline::summarize(trace);
  const std::string text = timeline::to_text(summary);
  REQUIRE_THAT(text, ContainsSubstring("tensor cores busy 30.0 % of the time"));
  REQUIRE_THAT(text, ContainsSubstring("consumer waits 100.0 % of its time"));
  REQUIRE_THAT(text, ContainsSubstring(summary.longest.cause));
  const auto json = nlohmann::json::parse(timeline::to_json(summary));
  REQUIRE(json["tensor_busy_share"] == Catch::Approx(0.3));
  REQUIRE(json["longest_bubble"]["cause"] == summary.longest.cause);
  REQUIRE(json["longest_bubble"]["predicted_gain"] == Catch::Approx(1.5));
  REQUIRE(json["roles"].size() == 2);
}

TEST_CASE("summary: a wait inside a wait counts once") {
  Trace trace = by_hand();
  auto& events = trace.tracks[0].events;
  events = {Event{.begin = 100, .end = 200, .kind = Kind::meet},
            Event{.begin = 50, .end = 250, .kind = Kind::store_wait}};
  const Summary summary = timeline::summarize(trace);
  const auto& role = summary.roles[0].role == "consumer" ? summary.roles[0] : summary.roles[1];
  REQUIRE(role.waiting == 200);
}

TEST_CASE("summary: empty traces") {
  Trace trace;
  trace.kernel = "nothing";
  trace.target = "gpu";
  timeline::resolve(trace);
  const Summary summary = timeline::summarize(trace);
  REQUIRE(summary.events == 0);
  REQUIRE_FALSE(summary.has_bubble);
  REQUIRE_THAT(timeline::to_text(summary), ContainsSubstring("nothing was recorded"));
  REQUIRE(nlohmann::json::parse(timeline::to_json(summary))["longest_bubble"].is_null());
}

TEST_CASE("summary: busy and idle time of the tensor cores make up all of it") {
  Trace trace = RecordedMatmul{}.run();
  timeline::resolve(trace);
  const Summary summary = timeline::summarize(trace);
  double idle = 0;
  for (const timeline::BubbleKind& kind : summary.bubbles) {
    idle += kind.share;
  }
  REQUIRE(idle + summary.tensor_busy_share == Catch::Approx(1).margin(1e-9));
}

TEST_CASE("summary: with slow loads, loads are the cause") {
  RecordedMatmul matmul;
  matmul.options.costs.load_latency = 5000;
  Trace trace = matmul.run();
  timeline::resolve(trace);
  const Summary summary = timeline::summarize(trace);
  REQUIRE(summary.bubbles.front().cause == "consumer waits for full: the load was under way");
  REQUIRE(summary.bubbles.front().gain > 1);
}

}  // namespace warpline::tests
