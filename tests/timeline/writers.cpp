// Files for Perfetto, browsers and documents: what is in them, and what happens when they cannot be
// written.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <streambuf>

#include "tests/support/catch.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"
#include "tests/timeline/recorded.h"
#include "timeline/resolve.h"
#include "timeline/write.h"
#include "warpline/error.h"

namespace warpline::tests {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using timeline::Event;
using timeline::Kind;
using timeline::Trace;
using timeline::write_file;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Nothing is kept: only counted.
class Counter : public std::streambuf {
 public:
  std::uint64_t bytes = 0;

 protected:
  std::streamsize xsputn(const char*, std::streamsize count) override {
    bytes += static_cast<std::uint64_t>(count);
    return count;
  }
  int overflow(int c) override {
    ++bytes;
    return c;
  }
};

Trace huge(std::uint64_t events) {
  Trace trace;
  trace.kernel = "huge";
  trace.target = "gpu";
  const std::uint32_t full = trace.name("full");
  const std::uint32_t consumer = trace.name("consumer");
  const std::uint32_t multiply = trace.name("multiply");
  const std::uint32_t tracks = 100;
  for (std::uint32_t t = 0; t < tracks; ++t) {
    timeline::Track track{.sm = t / 20, .cta = t / 10, .warp = t % 10, .role = consumer};
    track.events.reserve(events / tracks);
    if (t % 10 == 9) {
      track.engine = timeline::Engine::tensor;
      track.warp = 0;
    }
    for (std::uint64_t i = 0; i < events / tracks; i += 2) {
      if (t % 10 == 9) {
        for (const std::uint64_t half : {60, 80}) {
          track.events.push_back({.begin = i * 100 + half,
                                  .end = i * 100 + half + 20,
                                  .amount = 20,
                                  .name = multiply,
                                  .kind = Kind::multiply});
        }
        continue;
      }
      track.events.push_back({.begin = i * 100,
                              .end = i * 100 + 60,
                              .name = full,
                              .stage = static_cast<std::uint16_t>(i / 2 % 4),
                              .barrier = static_cast<std::uint16_t>(i / 2 % 4),
                              .kind = Kind::wait});
      track.events.push_back({.begin = i * 100 + 60,
                              .end = i * 100 + 60,
                              .amount = 64,
                              .stage = 0,
                              .kind = Kind::multiply_issue});
    }
    if (t % 10 == 0) {
      trace.ctas.push_back(
          {.cta = t / 10, .sm = t / 20, .begin = 0, .end = track.events.back().end});
    }
    trace.tracks.push_back(std::move(track));
  }
  return trace;
}

}  // namespace

TEST_CASE("writers: the page holds everything and fetches nothing") {
  const TemporaryFolder folder;
  Trace trace = RecordedMatmul{}.run();
  write_file(trace, folder.file("t.html"));
  const std::string page = text_of(folder.file("t.html"));
  for (const char* outside : {"http:", "https:", "src=", "<link", "@import", "fetch(", "url("}) {
    INFO(outside);
    REQUIRE(page.find(outside) == std::string::npos);
  }
  REQUIRE(page.find("/* the timeline */null") == std::string::npos);
  const std::string start = "const data = ";
  const std::size_t at = page.find(start) + start.size();
  const json data = json::parse(page.substr(at, page.find(";\n", at) - at));
  REQUIRE(data["shown"] == trace.events());
  REQUIRE(data["tracks"].size() == trace.tracks.size());
  REQUIRE(data["rings"].size() == 4);
  for (const json& ring : data["rings"]) {
    REQUIRE(ring["stages"] == 2);
    REQUIRE(ring["steps"].back() == 0);
    for (std::size_t i = 1; i < ring["steps"].size(); i += 2) {
      REQUIRE(ring["steps"][i] >= 0);
      REQUIRE(ring["steps"][i] <= 2);
    }
  }
}

TEST_CASE("writers: the picture shows the part that is asked for") {
  const TemporaryFolder folder;
  Trace trace = RecordedMatmul{}.run();
  write_file(trace, folder.file("t.svg"), {.from = 3000, .to = 6000});
  const std::string picture = text_of(folder.file("t.svg"));
  REQUIRE_THAT(picture, ContainsSubstring("3000 to 6000 virtual cycles"));
  REQUIRE_THAT(picture, ContainsSubstring("wait full["));
  REQUIRE_THAT(picture, ContainsSubstring("prefers-color-scheme: dark"));
  REQUIRE_THAT(picture, ContainsSubstring("</svg>"));
}

TEST_CASE("writers: names that are no UTF-8, or look like markup, do no harm") {
  const TemporaryFolder folder;
  Trace trace = RecordedMatmul{.m = 128, .n = 128}.run();
  trace.kernel = "</script><b>\xff\"";
  trace.names[trace.tracks[0].events[0].name] = "</script>\xfe\n";
  for (const char* ending : {"t.json", "t.html", "t.svg"}) {
    write_file(trace, folder.file(ending));
  }
  REQUIRE_NOTHROW(json::parse(text_of(folder.file("t.json"))));
  const std::string page = text_of(folder.file("t.html"));
  // One script, one end of it.
  REQUIRE(page.find("</script>") == page.rfind("</script>"));
  REQUIRE(text_of(folder.file("t.svg")).find("</script>") == std::string::npos);
}

TEST_CASE("writers: empty and cut traces") {
  const TemporaryFolder folder;
  Trace empty;
  empty.kernel = "nothing";
  Trace cut = RecordedMatmul{.limits = {.events_per_track = 3}}.run();
  cut.tracks.front().cut = true;
  for (const char* ending : {".json", ".html", ".svg"}) {
    REQUIRE_NOTHROW(write_file(empty, folder.file(std::string("empty") + ending)));
    REQUIRE_NOTHROW(write_file(cut, folder.file(std::string("cut") + ending)));
  }
  REQUIRE_NOTHROW(json::parse(text_of(folder.file("empty.json"))));
  const json file = json::parse(text_of(folder.file("cut.json")));
  REQUIRE(file["otherData"]["summary"]["dropped_events"] > 0);
  REQUIRE(file["otherData"]["summary"]["cut_warps"] == 1);
}

TEST_CASE("writers: ten million events") {
  Trace trace = huge(10'000'000);
  timeline::resolve(trace);
  const timeline::Summary summary = timeline::summarize(trace);
  REQUIRE(summary.events >= 10'000'000);
  REQUIRE(summary.bubbles.size() >= 1);
  REQUIRE(summary.bubbles.front().count > 100'000);
  Counter counter;
  std::ostream out(&counter);
  timeline::write_perfetto(trace, summary, out);
  REQUIRE(counter.bytes > 10'000'000u * 80);
  counter.bytes = 0;
  timeline::write_html(trace, summary, {}, out);
  // The page keeps to what a browser can show.
  REQUIRE(counter.bytes < 20'000'000);
  counter.bytes = 0;
  timeline::write_svg(trace, summary, {}, out);
  REQUIRE(counter.bytes < 5'000'000);
}

TEST_CASE("writers: a wrong name is one clear error, and no file") {
  const TemporaryFolder folder;
  Trace trace = RecordedMatmul{.m = 128, .n = 128}.run();
  const auto refused = [&](const std::string& path, const std::string& why) {
    INFO(path);
    try {
      write_file(trace, path);
      FAIL("it was written");
    } catch (const Error& error) {
      REQUIRE_THAT(error.what(), ContainsSubstring("cannot write the timeline to " + path));
      REQUIRE_THAT(error.what(), ContainsSubstring(why));
    }
  };
  refused(folder.file("t.txt"), "must end in .json (for Perfetto), .html or .svg");
  refused(folder.file("none/t.json"), "there is no folder");
  std::filesystem::create_directory(folder.file("d.json"));
  refused(folder.file("d.json"), "it is a folder");
  REQUIRE(folder.files() == 1);
}

TEST_CASE("writers: a full disk is one clear error, and leaves no half file") {
  const TemporaryFolder folder;
  Trace trace = RecordedMatmul{}.run();
  for (const char* name : {"t.json", "t.html", "t.svg"}) {
    const std::string path = folder.file(name);
    std::ofstream(path) << "the old one";
    std::string message;
    try {
      const FullDisk full(4096);
      write_file(trace, path);
    } catch (const Error& error) {
      message = error.what();
    }
    REQUIRE_THAT(message, ContainsSubstring("cannot write the timeline to " + path));
    REQUIRE(text_of(path) == "the old one");
  }
  REQUIRE(folder.files() == 3);
}

}  // namespace warpline::tests
