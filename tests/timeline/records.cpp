// What is recorded of a kernel on the simulator.
#include "tests/support/catch.h"
#include "tests/timeline/recorded.h"
#include "tests/warpline/product.h"
#include "timeline/resolve.h"
#include "warpline/trace.h"
#include "warpline/trace_session.h"

namespace warpline::tests {

using timeline::Engine;
using timeline::Kind;
using timeline::Trace;
using timeline::Track;

namespace {

std::string role_of(const Trace& trace, const Track& track) { return trace.names[track.role]; }

}  // namespace

TEST_CASE("timeline: every primitive leaves its event") {
  const RecordedMatmul matmul;
  Trace trace = matmul.run();
  REQUIRE(matmul.correct);
  timeline::resolve(trace);
  const std::size_t ctas = 4;
  const std::size_t k_tiles = 8;
  REQUIRE(trace.kernel == "warp_specialized_matmul");
  REQUIRE(trace.unit == "virtual cycles");
  REQUIRE(trace.ctas.size() == ctas);
  // Four consumer warps wait for each stage; one producer warp, and once more for each of two
  // stages at the end.
  REQUIRE(events_of(trace, Kind::wait).size() == ctas * (4 * k_tiles + k_tiles + 2));
  REQUIRE(events_of(trace, Kind::multiply_issue).size() == ctas * 4 * k_tiles);
  REQUIRE(events_of(trace, Kind::multiply_wait).size() == ctas * 4 * k_tiles);
  REQUIRE(events_of(trace, Kind::release).size() == ctas * 4 * k_tiles);
  REQUIRE(events_of(trace, Kind::copy_issue).size() == ctas * 2 * k_tiles);
  REQUIRE(events_of(trace, Kind::copy).size() == ctas * 2 * k_tiles);
  REQUIRE(events_of(trace, Kind::epilogue).size() == ctas * 4);
  for (const timeline::Event& copy : events_of(trace, Kind::copy)) {
    REQUIRE(copy.amount == 128 * 64 * 2);
    REQUIRE(copy.end > copy.begin);
    REQUIRE(copy.stage < 2);
  }
  std::uint64_t cycles = 0;
  for (const timeline::Event& multiply : events_of(trace, Kind::multiply)) {
    REQUIRE(multiply.amount == multiply.end - multiply.begin);
    REQUIRE(multiply.stage < 2);
    cycles += multiply.amount;
  }
  REQUIRE(cycles == ctas * k_tiles * 2 * 4 * 64);  // 64 x 128 x 16 in 64 cycles
  for (const Track& track : trace.tracks) {
    REQUIRE_FALSE(track.cut);
    REQUIRE(track.dropped == 0);
    if (track.engine == Engine::warp) {
      REQUIRE(role_of(trace, track) == (track.warp < 4 ? "consumer" : "producer"));
    }
    for (std::size_t i = 1; i < track.events.size(); ++i) {
      REQUIRE(track.events[i - 1].end <= track.events[i].end);
    }
  }
}

TEST_CASE("timeline: a wait for full ends after the loads of its stage have landed") {
  Trace trace = RecordedMatmul{}.run();
  timeline::resolve(trace);
  for (const Track& track : trace.tracks) {
    if (track.engine != Engine::warp || track.warp >= 4) {
      continue;
    }
    std::size_t turn = 0;
    for (const timeline::Event& wait : track.events) {
      if (wait.kind != Kind::wait) {
        continue;
      }
      REQUIRE(trace.names[wait.name] == "full");
      REQUIRE(wait.stage == turn % 2);
      std::size_t landed = 0;
      for (const Track& engine : trace.tracks) {
        if (engine.cta == track.cta && engine.engine == Engine::copy) {
          landed += static_cast<std::size_t>(
              std::count_if(engine.events.begin(), engine.events.end(), [&](const auto& copy) {
                return copy.barrier == wait.barrier && copy.end <= wait.end;
              }));
        }
      }
      REQUIRE(landed >= 2 * (turn / 2 + 1));
      ++turn;
    }
  }
}

TEST_CASE("timeline: stores through shared memory are recorded") {
  const RecordedMatmul matmul{.kernel = "cooperative",
                              .stages = 4,
                              .n = 512,
                              .options = {.policy = simulator::Policy::timed}};
  Trace trace = matmul.run();
  REQUIRE(matmul.correct);
  REQUIRE(events_of(trace, Kind::store_issue).size() == events_of(trace, Kind::store).size());
  REQUIRE_FALSE(events_of(trace, Kind::store).empty());
  REQUIRE_FALSE(events_of(trace, Kind::store_wait).empty());
}

TEST_CASE("timeline: the same options give the same times, on any schedule's seed") {
  RecordedMatmul matmul;
  const Trace first = matmul.run();
  const Trace second = matmul.run();
  matmul.options.seed = 7;  // another lane is elected, at the same time
  const Trace third = matmul.run();
  REQUIRE(first.tracks.size() == second.tracks.size());
  REQUIRE(first.tracks.size() == third.tracks.size());
  for (std::size_t i = 0; i < first.tracks.size(); ++i) {
    REQUIRE(first.tracks[i].events == second.tracks[i].events);
    REQUIRE(first.tracks[i].events.size() == third.tracks[i].events.size());
  }
}

TEST_CASE("timeline: other policies record too, in steps") {
  RecordedMatmul matmul{.options = {.policy = simulator::Policy::random}};
  const Trace trace = matmul.run();
  REQUIRE(matmul.correct);
  REQUIRE(trace.unit == "scheduler steps");
  REQUIRE(events_of(trace, Kind::copy).size() == 4 * 2 * 8);
}

TEST_CASE("timeline: limits bound what is kept, and say what was not") {
  RecordedMatmul matmul{.limits = {.first_cta = 1, .ctas = 2, .events_per_track = 10}};
  const Trace trace = matmul.run();
  REQUIRE(trace.ctas.size() == 2);
  for (const Track& track : trace.tracks) {
    REQUIRE((track.cta == 1 || track.cta == 2));
    REQUIRE(track.events.size() <= 10);
  }
  REQUIRE(trace.dropped() > 0);
  REQUIRE(trace.events() + trace.dropped() ==
          RecordedMatmul{.limits = {.first_cta = 1, .ctas = 2}}.run().events());
}

namespace {

/// One warp with events of its own; with a barrier that nobody completes, it hangs.
struct Named {
  struct Worker {
    static constexpr RoleConfig config{.name = "worker", .warps = 1};
  };
  using Roles = RoleList<Worker>;
  struct Arguments {
    bool hangs;
  };
  struct SharedMemory {
    isa::Mbarrier never;
  };
  static constexpr LaunchConfig launch{.name = "named"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    // [named]
    {
      const TraceScope scope("softmax", 3);
      isa::sleep_nanoseconds(100);
    }
    trace_moment("half way");
    // [named]
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.never, 1);
    }
    isa::syncthreads();
    if (arguments.hangs) {
      isa::wait(shared.never, 0, {.role = "worker", .barrier = "never", .stage = 0});
    }
  }
};

}  // namespace

TEST_CASE("timeline: kernels name events of their own") {
  Stream stream{.options = {.policy = simulator::Policy::timed}};
  // [session]
  TraceSession session(stream);
  launch<Named>(stream, {1, 1, 1}, {.hangs = false});
  const timeline::Trace trace = session.finish();
  // [session]
  REQUIRE(trace.tracks.size() == 1);
  const Track& track = trace.tracks.front();
  REQUIRE(role_of(trace, track) == "worker");
  REQUIRE(track.events.size() == 3);
  REQUIRE(track.events[0].kind == Kind::user);
  REQUIRE(trace.names[track.events[0].name] == "softmax");
  REQUIRE(track.events[0].stage == 3);
  REQUIRE(track.events[0].end > track.events[0].begin);
  REQUIRE(trace.names[track.events[1].name] == "half way");
  REQUIRE(track.events[1].end == track.events[1].begin);
  REQUIRE(track.events[2].kind == Kind::meet);
}

TEST_CASE("timeline: a kernel that fails leaves what came before, and is said to be cut") {
  Stream stream{.options = {.policy = simulator::Policy::timed}};
  TraceSession session(stream);
  REQUIRE_THROWS_AS(launch<Named>(stream, {1, 1, 1}, {.hangs = true}), simulator::SimulationFault);
  const Trace trace = session.finish();
  REQUIRE(trace.tracks.size() == 1);
  REQUIRE(trace.tracks.front().cut);
  REQUIRE(trace.tracks.front().events.size() == 3);
}

TEST_CASE("timeline: while a warp waits it does nothing else") {
  const timeline::Trace trace = RecordedMatmul{}.run();
  int waits = 0;
  for (const timeline::Track& track : trace.tracks) {
    for (const timeline::Event& wait : track.events) {
      if (wait.kind != Kind::wait && wait.kind != Kind::multiply_wait && wait.kind != Kind::meet) {
        continue;
      }
      ++waits;
      for (const timeline::Event& other : track.events) {
        INFO(to_string(wait.kind) << " from " << wait.begin << " to " << wait.end << ", "
                                  << to_string(other.kind) << " at " << other.begin);
        REQUIRE_FALSE((wait.begin < other.begin && other.begin < wait.end));
      }
    }
  }
  REQUIRE(waits > 100);
}

}  // namespace warpline::tests
