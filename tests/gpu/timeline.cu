// What the GPU records of a kernel: the same as the simulator (tests/timeline/records.cpp). This
// unit's kernels record, whatever the build is configured to.
#undef WARPLINE_TRACE
#define WARPLINE_TRACE 1
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "matmul/warp_specialized_entry.h"
#include "tests/support/catch.h"
#include "tests/support/device_array.h"
#include "tests/support/temporary_folder.h"
#include "timeline/resolve.h"
#include "timeline/write.h"
#include "warpline/trace.h"
#include "warpline/trace_session.h"

namespace warpline::tests {

using timeline::Engine;
using timeline::Event;
using timeline::Kind;
using timeline::Trace;
using timeline::Track;

namespace {

constexpr std::size_t ctas = 4;
constexpr std::size_t k_tiles = 8;
constexpr int extent = 256;
constexpr int k_extent = 64 * static_cast<int>(k_tiles);
constexpr TraceLimits everywhere{.multiprocessors = 1024};

/// A product of ones on four CTAs, recorded.
struct RecordedProduct {
  explicit RecordedProduct(const TraceLimits& limits = everywhere) {
    constexpr MatmulKernel kernel =
        WarpSpecializedEntry<WarpSpecializedConfig{.stages = 2}>::line("warp_specialized");
    const DeviceArray<__half> a(std::vector<__half>(extent * k_extent, __float2half(1)));
    const DeviceArray<__half> b(std::vector<__half>(extent * k_extent, __float2half(1)));
    const DeviceArray<__half> c(std::vector<__half>(extent * extent));
    const MatmulPlan plan(kernel, {.a = a.data(),
                                   .b = b.data(),
                                   .c = c.data(),
                                   .m = extent,
                                   .n = extent,
                                   .k = k_extent,
                                   .a_stride = k_extent,
                                   .b_stride = k_extent,
                                   .c_stride = extent});
    Stream stream = nullptr;
    TraceSession session(stream, limits);
    plan.run();
    trace = session.finish();
    timeline::resolve(trace);
    for (const __half element : c.values()) {
      correct = correct && __half2float(element) == static_cast<float>(k_extent);
    }
  }

  std::vector<Event> events(Kind kind) const {
    std::vector<Event> found;
    for (const Track& track : trace.tracks) {
      std::copy_if(track.events.begin(), track.events.end(), std::back_inserter(found),
                   [&](const Event& event) { return event.kind == kind; });
    }
    return found;
  }

  Trace trace;
  bool correct = true;
};

/// One warp with events of its own.
struct NamedEvents {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 1};
  };
  using Roles = RoleList<Worker>;
  struct Arguments {};
  struct SharedMemory {
    int nothing;
  };
  static constexpr LaunchConfig launch{.name = "named_events"};

  WARPLINE_DEVICE void operator()(const Arguments&, SharedMemory&) const {
    {
      const TraceScope scope("softmax", 3);
      isa::sleep_nanoseconds(1000);
    }
    trace_moment("half way");
  }
};

}  // namespace

TEST_CASE("timeline: every primitive leaves its event") {
  const RecordedProduct product;
  const Trace& trace = product.trace;
  REQUIRE(product.correct);
  REQUIRE(trace.kernel == "warp_specialized_matmul");
  REQUIRE(trace.target == "gpu");
  REQUIRE(trace.ctas.size() == ctas);
  REQUIRE(trace.dropped() == 0);
  REQUIRE(product.events(Kind::wait).size() == ctas * (4 * k_tiles + k_tiles + 2));
  REQUIRE(product.events(Kind::multiply_issue).size() == ctas * 4 * k_tiles);
  REQUIRE(product.events(Kind::multiply_wait).size() == ctas * 4 * k_tiles);
  REQUIRE(product.events(Kind::release).size() == ctas * 4 * k_tiles);
  REQUIRE(product.events(Kind::copy_issue).size() == ctas * 2 * k_tiles);
  REQUIRE(product.events(Kind::copy).size() == ctas * 2 * k_tiles);
  REQUIRE(product.events(Kind::epilogue).size() == ctas * 4);
  for (const Event& copy : product.events(Kind::copy)) {
    REQUIRE(copy.amount == 128 * 64 * 2);
    REQUIRE(copy.end > copy.begin);
    REQUIRE(copy.stage < 2);
  }
  for (const Track& track : trace.tracks) {
    REQUIRE_FALSE(track.cut);
    if (track.engine == Engine::warp) {
      REQUIRE(trace.names[track.role] == (track.warp < 4 ? "consumer" : "producer"));
    }
    for (std::size_t i = 1; i < track.events.size(); ++i) {
      REQUIRE(track.events[i - 1].end <= track.events[i].end);
    }
  }
}

TEST_CASE("timeline: events are between their CTA's begin and end") {
  const RecordedProduct product;
  for (const Track& track : product.trace.tracks) {
    const auto cta =
        std::find_if(product.trace.ctas.begin(), product.trace.ctas.end(),
                     [&](const timeline::CtaSpan& span) { return span.cta == track.cta; });
    REQUIRE(cta != product.trace.ctas.end());
    REQUIRE(cta->sm == track.sm);
    for (const Event& event : track.events) {
      REQUIRE(event.begin <= event.end);
      REQUIRE(cta->begin <= event.begin);
      REQUIRE(event.end <= cta->end);
    }
  }
}

TEST_CASE("timeline: limits bound what is kept, and say what was not") {
  const std::uint64_t all = [] {
    std::uint64_t count = 0;
    for (const Track& track : RecordedProduct().trace.tracks) {
      count += track.engine == Engine::warp && track.cta < 2 ? track.events.size() : 0;
    }
    return count;
  }();
  const RecordedProduct product(
      {.multiprocessors = 1024, .first_cta = 0, .ctas = 2, .events_per_warp = 10});
  REQUIRE(product.correct);
  std::uint64_t kept = 0;
  for (const Track& track : product.trace.tracks) {
    REQUIRE(track.cta < 2);
    if (track.engine == Engine::warp) {
      REQUIRE(track.events.size() <= 10);
      kept += track.events.size();
    }
  }
  REQUIRE(product.trace.dropped() > 0);
  REQUIRE(kept + product.trace.dropped() == all);
}

TEST_CASE("timeline: kernels name events of their own") {
  Stream stream = nullptr;
  TraceSession session(stream, everywhere);
  launch<NamedEvents>(stream, {1, 1, 1}, {});
  const Trace trace = session.finish();
  REQUIRE(trace.tracks.size() == 1);
  const Track& track = trace.tracks.front();
  REQUIRE(trace.names[track.role] == "worker");
  REQUIRE(track.events.size() == 2);
  REQUIRE(track.events[0].kind == Kind::user);
  REQUIRE(trace.names[track.events[0].name] == "softmax");
  REQUIRE(track.events[0].stage == 3);
  REQUIRE(track.events[0].end > track.events[0].begin);
  REQUIRE(trace.names[track.events[1].name] == "half way");
  REQUIRE(track.events[1].end == track.events[1].begin);
}

TEST_CASE("timeline: every writer takes what the GPU has recorded") {
  RecordedProduct product;
  const TemporaryFolder folder;
  for (const char* name : {"t.json", "t.html", "t.svg"}) {
    const timeline::Summary summary = timeline::write_file(product.trace, folder.file(name));
    REQUIRE(timeline::to_text(summary).find("warp_specialized_matmul") != std::string::npos);
    REQUIRE(std::filesystem::file_size(folder / name) > 1000);
  }
}

}  // namespace warpline::tests
