// The simulation as such: replay from a seed, faults and exceptions that leave it usable, clusters
// that are resident together.
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/simulator/raw_pipeline.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/memory.h"
#include "warpline/isa/warp.h"

namespace warpline::tests {
namespace {

using simulator::Options;

struct Shared {
  alignas(16) int data[4];
};

/// Thread and turn, in the order in which the simulation came by.
std::vector<std::pair<unsigned, int>> order_of_events(const Options& options) {
  std::vector<std::pair<unsigned, int>> events;
  simulate_with<Shared>(one_cta<Shared>(96), options, [&](Shared&) {
    for (int turn = 0; turn < 4; ++turn) {
      events.emplace_back(isa::thread_index(), turn);
      isa::syncwarp();
    }
  });
  return events;
}

TEST_CASE("the same seed replays the same schedule") {
  for (const Policy policy : every_policy) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Options options{.seed = seed, .policy = policy};
      CHECK(order_of_events(options) == order_of_events(options));
    }
  }
}

TEST_CASE("another seed draws another schedule") {
  for (const Policy policy : {Policy::random, Policy::adversarial}) {
    std::map<std::vector<std::pair<unsigned, int>>, int> schedules;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      ++schedules[order_of_events({.seed = seed, .policy = policy})];
    }
    CHECK(schedules.size() > 10);
  }
}

TEST_CASE("a fault replays, to the letter") {
  RawPipeline pipeline(8, Mutation::no_wait_for_empty);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Options options{.seed = seed};
    const std::string text = report_of([&] { pipeline.run(options); }).text();
    CHECK(report_of([&] { pipeline.run(options); }).text() == text);
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("seed " + std::to_string(seed) +
                                                        ", policy random"));
  }
}

TEST_CASE("statistics count what was done") {
  RawPipeline pipeline(5);
  simulator::Statistics statistics;
  const simulator::Launch launch = one_cta<Shared>(32);
  statistics = simulator::simulate(launch, {}, [](void*) { isa::syncwarp(); });
  CHECK(statistics.steps > 0);
  CHECK(statistics.copies == 0);
  CHECK(statistics.multiplies == 0);
  statistics = pipeline.run({});
  CHECK(statistics.copies == 10);
  CHECK(statistics.multiplies == 5);
}

TEST_CASE("an exception in a kernel reaches the caller, and the next simulation works") {
  const auto throwing = [](const Options& options) {
    simulate_with<Shared>(one_cta<Shared>(64), options, [](Shared&) {
      isa::syncwarp();
      if (isa::thread_index() == 40) {
        throw std::out_of_range("from thread 40");
      }
      isa::syncwarp();
    });
  };
  RawPipeline pipeline(3);
  RawPipeline faulty(3, Mutation::one_thread_does_not_release);
  with_schedules(every_policy, 5, [&](const Options& options) {
    CHECK_THROWS_AS(throwing(options), std::out_of_range);
    CHECK_NOTHROW(pipeline.run(options));
    CHECK(fault_of([&] { faulty.run(options); }).has_value());
    CHECK_NOTHROW(pipeline.run(options));
  });
}

TEST_CASE("an exception in the only thread is not taken for what it left behind") {
  struct Barrier {
    isa::Mbarrier barrier;
  };
  with_schedules(every_policy, 2, [](const Options& options) {
    CHECK_THROWS_AS(simulate_with<Barrier>(one_cta<Barrier>(1), options,
                                           [](Barrier& shared) {
                                             isa::mbarrier_init(shared.barrier, 2);
                                             isa::mbarrier_arrive(shared.barrier);
                                             throw std::out_of_range("in mid-phase");
                                           }),
                    std::out_of_range);
  });
}

TEST_CASE("simulations do not nest, and device functions do not run outside") {
  const auto inner = [] { simulate_with<Shared>(one_cta<Shared>(32), {}, [](Shared&) {}); };
  CHECK_THROWS_WITH(simulate_with<Shared>(one_cta<Shared>(32), {}, [&](Shared&) { inner(); }),
                    Catch::Matchers::ContainsSubstring("simulations do not nest"));
  CHECK_NOTHROW(inner());
  CHECK_THROWS_WITH(isa::thread_index(),
                    Catch::Matchers::ContainsSubstring("outside a simulation"));
}

TEST_CASE("a simulation that makes no end is ended") {
  Options options;
  options.max_steps = 10'000;
  const simulator::Report report = report_of([&] {
    simulate_with<Shared>(one_cta<Shared>(32), options, [](Shared&) {
      while (true) {
        simulator::yield();
      }
    });
  });
  CHECK(report.kind == FaultKind::no_progress);
  CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring("within 10000 steps"));
}

TEST_CASE("who polls for a copy gets it in the end, on every schedule") {
  struct Polling {
    alignas(16) int data[4];
    isa::Mbarrier barrier;
  };
  alignas(16) static const int source[4] = {1, 2, 3, 4};
  with_schedules(every_policy, 5, [](const Options& options) {
    simulate_with<Polling>(one_cta<Polling>(64), options, [](Polling& shared) {
      if (isa::thread_index() == 0) {
        isa::mbarrier_init(shared.barrier, 1);
        isa::fence_mbarrier_init();
        isa::mbarrier_arrive_expect_tx(shared.barrier, 16);
        isa::bulk_load(shared.data, source, 16, shared.barrier);
      }
      isa::syncthreads();
      while (!isa::mbarrier_test_wait(shared.barrier, 0)) {
      }
      REQUIRE(isa::load_shared(shared.data[2]) == 3);
    });
  });
}

/// Each of `ctas` CTAs comes, then waits until all have come.
void meet(unsigned ctas, int resident_clusters, const Options& base) {
  Options options = base;
  options.resident_clusters = resident_clusters;
  options.max_steps = 300'000;
  volatile unsigned arrived = 0;  // past the eyes of the simulator, as atomics would be
  simulator::Launch launch = one_cta<Shared>(32);
  launch.grid = {ctas, 1, 1};
  simulate_with<Shared>(launch, options, [&](Shared&) {
    if (isa::thread_index() == 0) {
      arrived = arrived + 1;
      while (arrived < ctas) {
        simulator::yield();
      }
    }
  });
}

TEST_CASE("clusters that are on the chip together can wait for each other, no others") {
  with_schedules(every_policy, 3, [](const Options& options) {
    for (const unsigned ctas : {1u, 4u, 9u}) {
      CHECK_NOTHROW(meet(ctas, static_cast<int>(ctas), options));
      CHECK_NOTHROW(meet(ctas, std::numeric_limits<int>::max(), options));
    }
    for (const int resident : {1, 4, 8}) {
      CHECK(fault_of([&] { meet(9, resident, options); }).has_value());
    }
  });
}

TEST_CASE("every CTA of a grid runs once, whatever is resident") {
  for (const int resident : {1, 4, 1000}) {
    with_schedules(every_policy, 2, [&](const Options& base) {
      Options options = base;
      options.resident_clusters = resident;
      std::map<std::tuple<unsigned, unsigned, unsigned>, int> runs;
      const simulator::Launch launch{.kernel = "test",
                                     .grid = {4, 6, 3},
                                     .cluster = {2, 3, 1},
                                     .threads = 32,
                                     .shared_bytes = sizeof(Shared)};
      simulate_with<Shared>(launch, options, [&](Shared&) {
        if (isa::thread_index() != 0) {
          return;
        }
        const auto block = isa::block_index();
        ++runs[{block.x, block.y, block.z}];
        const auto place = isa::cluster_cta_index();
        CHECK(place.x == block.x % 2);
        CHECK(place.y == block.y % 3);
        CHECK(isa::cluster_cta_rank() == place.y * 2 + place.x);
        CHECK(isa::grid_size().y == 6);
      });
      CHECK(runs.size() == 72);
      for (const auto& [block, count] : runs) {
        CHECK(count == 1);
      }
    });
  }
}

}  // namespace
}  // namespace warpline::tests
