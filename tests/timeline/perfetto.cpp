// The JSON for Perfetto against the rules of the trace event format, and against what Perfetto
// makes of it: Reader does what its trace processor does (importers/json, slice_tracker,
// flow_tracker). Perfetto itself is not run here.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/timeline/recorded.h"
#include "timeline/flows.h"
#include "timeline/resolve.h"
#include "timeline/write.h"

namespace warpline::tests {

using nlohmann::json;
using timeline::Event;
using timeline::Kind;
using timeline::Trace;

namespace {

json file_of(Trace& trace) {
  timeline::resolve(trace);
  std::ostringstream out;
  timeline::write_perfetto(trace, timeline::summarize(trace), out);
  return json::parse(out.str());
}

/// A time, as Perfetto takes it: the nearest nanosecond. It is written as one.
std::int64_t nanoseconds(const json& microseconds) {
  const double exact = microseconds.get<double>() * 1000;
  REQUIRE(std::abs(exact - std::round(exact)) < 1e-3);
  return std::llround(exact);
}

/// "Trace Event Format", the sections of each phase, and the overview's for the whole.
void require_format(const json& file) {
  for (const auto& [key, value] : file.items()) {
    REQUIRE(std::set<std::string>{"displayTimeUnit", "otherData", "traceEvents"}.contains(key));
  }
  REQUIRE((file["displayTimeUnit"] == "ns" || file["displayTimeUnit"] == "ms"));
  REQUIRE(file["otherData"].is_object());
  REQUIRE(file["traceEvents"].is_array());
  for (const json& event : file["traceEvents"]) {
    INFO(event.dump());
    REQUIRE(event["name"].is_string());
    REQUIRE(event["pid"].is_number_unsigned());
    const std::string phase = event["ph"];
    if (phase == "M") {
      const std::map<std::string, std::string> arguments{
          {"process_name", "name"}, {"thread_name", "name"}, {"thread_sort_index", "sort_index"}};
      REQUIRE(event["args"].contains(arguments.at(event["name"])));
      continue;
    }
    REQUIRE(event["tid"].is_number_unsigned());
    REQUIRE(event["cat"].is_string());
    REQUIRE(nanoseconds(event["ts"]) >= 0);
    if (phase == "X") {
      REQUIRE(nanoseconds(event["dur"]) >= 0);
    } else if (phase == "i") {
      REQUIRE(event["s"] == "t");
    } else {
      REQUIRE((phase == "s" || phase == "f"));
      REQUIRE(event["id"].is_number_unsigned());
      REQUIRE(event.contains("bp") == (phase == "f"));  // "e": the slice around it, not the next
      REQUIRE((phase == "s" || event["bp"] == "e"));
    }
  }
}

struct Slice {
  std::int64_t end;
  json event;
};

struct Arrow {
  json from;
  json to;
};

class Reader {
 public:
  explicit Reader(const json& file) {
    std::vector<std::pair<std::int64_t, const json*>> events;
    for (const json& event : file["traceEvents"]) {
      if (event["ph"] != "M") {
        events.emplace_back(nanoseconds(event["ts"]), &event);
      }
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [at, event] : events) {
      INFO(event->dump());
      read(at, *event);
    }
  }

  /// By id, each with what it was found to connect.
  std::map<std::uint64_t, Arrow> arrows;
  std::uint64_t slices = 0;

 private:
  void read(std::int64_t at, const json& event) {
    std::vector<Slice>& open = open_[{event["pid"], event["tid"]}];
    const std::string phase = event["ph"];
    if (phase == "s" || phase == "f") {
      REQUIRE_FALSE(open.empty());
      const auto [arrow, fresh] = arrows.try_emplace(event["id"]);
      REQUIRE(fresh == (phase == "s"));
      (fresh ? arrow->second.from : arrow->second.to) = open.back().event;
      // Both ends are found by all three.
      const auto key = std::make_tuple(event["cat"], event["name"], event["id"]);
      REQUIRE(keys_.insert(key).second == fresh);
      return;
    }
    while (!open.empty() && open.back().end <= at) {
      open.pop_back();
    }
    const std::int64_t end = at + (phase == "X" ? nanoseconds(event["dur"]) : 0);
    if (!open.empty()) {
      REQUIRE(end <= open.back().end);  // or it would be put elsewhere, or dropped
    }
    open.push_back({end, event});
    ++slices;
  }

  std::map<std::pair<int, int>, std::vector<Slice>> open_;
  std::set<std::tuple<json, json, json>> keys_;
};

void require_same(const Event& event, const json& found) {
  INFO("from " << event.begin << " to " << event.end << ", found " << found.dump());
  REQUIRE(found["cat"] == to_string(event.kind));
  REQUIRE(found["args"]["at"] == event.begin);
  REQUIRE(found["args"]["cycles"] == event.end - event.begin);
}

/// All events are slices, all arrows are where they belong.
void require_read(Trace& trace) {
  const json file = file_of(trace);
  require_format(file);
  const Reader reader(file);
  REQUIRE(reader.slices == trace.events());
  const auto flows = timeline::flows_of(trace);
  REQUIRE(reader.arrows.size() == flows.size());
  std::uint64_t id = 0;
  for (const timeline::Flow& flow : flows) {
    const Arrow& arrow = reader.arrows.at(++id);
    require_same(trace.tracks[flow.from_track].events[flow.from_event], arrow.from);
    require_same(trace.tracks[flow.to_track].events[flow.to_event], arrow.to);
  }
  REQUIRE(file["otherData"]["summary"]["events"] == trace.events());
}

}  // namespace

TEST_CASE("Perfetto: tracks have names") {
  Trace trace = RecordedMatmul{}.run();
  std::set<std::string> threads;
  std::set<std::string> processes;
  const json file = file_of(trace);
  for (const json& event : file["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") {
      threads.insert(event["args"]["name"]);
    } else if (event["ph"] == "M" && event["name"] == "process_name") {
      processes.insert(event["args"]["name"]);
    }
  }
  REQUIRE(processes == std::set<std::string>{"SM 0"});
  REQUIRE(threads.contains("CTA 0: consumer, warp 0"));
  REQUIRE(threads.contains("CTA 3: producer, warp 4"));
  REQUIRE(threads.contains("CTA 1: tensor cores, warps 0-3"));
  REQUIRE(threads.contains("CTA 1: copy engine, 0"));
}

TEST_CASE("Perfetto: every slice and every arrow of a matmul is found, at any clock") {
  for (const char* kernel : {"warp_specialized", "cooperative"}) {
    const bool cluster = kernel == std::string("cooperative");
    Trace trace = RecordedMatmul{.kernel = kernel,
                                 .stages = cluster ? 4 : 2,
                                 .options = {.policy = simulator::Policy::timed,
                                             .multiprocessors = cluster ? 2 : 1}}
                      .run();
    REQUIRE(timeline::flows_of(trace).size() > 10);
    // A cycle is a nanosecond, half of one, and what divides nothing.
    for (const double cycles_per_microsecond : {1755.0, 1000.0, 2000.0, 1983.7, 345.6}) {
      INFO(kernel << " at " << cycles_per_microsecond);
      trace.cycles_per_microsecond = cycles_per_microsecond;
      require_read(trace);
    }
  }
}

TEST_CASE("Perfetto: slices of a cycle, side by side and inside each other") {
  Trace trace;
  trace.kernel = "short";
  trace.cycles_per_microsecond = 1980;
  timeline::Track track;
  const std::uint32_t name = trace.name("step");
  const std::uint32_t whole = trace.name("whole");
  // In the order of ends, as they are recorded: what is inside comes first.
  for (std::uint64_t begin = 0; begin < 3000; begin += 6) {
    for (std::uint64_t step = 0; step < 6; ++step) {
      track.events.push_back(
          {.begin = begin + step, .end = begin + step + 1, .name = name, .kind = Kind::user});
    }
    track.events.push_back({.begin = begin, .end = begin + 6, .name = whole, .kind = Kind::user});
  }
  trace.ctas.push_back({.begin = 0, .end = 3000});
  trace.tracks.push_back(track);
  require_read(trace);
}

TEST_CASE("Perfetto: a trace of nothing is a file") {
  Trace trace;
  trace.kernel = "nothing";
  require_read(trace);
}

}  // namespace warpline::tests
