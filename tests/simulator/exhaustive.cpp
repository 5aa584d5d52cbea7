// All schedules of small kernels: rings are proved free of faults, planted faults are found, and
// the reduction loses nothing.
#include <set>
#include <string>

#include "simulator/explore.h"
#include "tests/simulator/small_ring.h"
#include "warpline/pipeline.h"

namespace warpline::tests {
namespace {

using simulator::exhaust;
using simulator::Exploration;

Exploration exhaust_ring(SmallRing& ring) {
  return exhaust({.max_schedules = 20000}, [&](const simulator::Options& options) {
    ring.run(options);
    REQUIRE(ring.right());
  });
}

TEST_CASE("exhaustive: a ring in raw instructions has no fault on any schedule") {
  for (int stages = 1; stages <= 3; ++stages) {
    for (int tiles = 1; tiles <= 5; ++tiles) {
      for (int consumers = 1; consumers <= 2; ++consumers) {
        SmallRing ring(stages, tiles, consumers);
        const Exploration found = exhaust_ring(ring);
        INFO(stages << " stages, " << tiles << " tiles, " << consumers
                    << " consumers: " << found.text());
        REQUIRE(found.complete);
        REQUIRE(found.reports.empty());
        REQUIRE(found.states >= found.longest);
      }
    }
  }
}

TEST_CASE("exhaustive: every planted fault is found") {
  for (const Planted planted : every_fault) {
    for (int consumers = 1; consumers <= 2; ++consumers) {
      SmallRing ring(2, 5, consumers, planted);
      const Exploration found = exhaust(
          {.max_schedules = 20000}, [&](const simulator::Options& options) { ring.run(options); });
      INFO("fault " << static_cast<int>(planted) << ", " << consumers
                    << " consumers: " << found.text());
      REQUIRE_FALSE(found.reports.empty());
      REQUIRE(found.reports.front().policy == simulator::Policy::exhaustive);
    }
  }
}

/// What the warps of a kernel saw, in every order that exploration tried.
template <class Kernel>
std::set<std::string> outcomes(bool reduce, unsigned warps, Kernel kernel,
                               std::uint64_t* schedules) {
  std::set<std::string> seen;
  const Exploration found =
      exhaust({.max_reports = 1000, .reduce = reduce}, [&](const simulator::Options& options) {
        std::string outcome(warps, '?');
        try {
          kernel(options, outcome);
        } catch (const simulator::SimulationFault& fault) {
          outcome = fault.report.rule->name;
        }
        seen.insert(outcome);
      });
  REQUIRE(found.complete);
  *schedules = found.schedules;
  return seen;
}

struct Signals {
  isa::Mbarrier a;
  isa::Mbarrier b;
};

/// Each warp arrives, looks at the other's barrier and says what it saw.
void look(const simulator::Options& options, std::string& outcome) {
  simulate_with<Signals>(one_cta<Signals>(64), options, [&](Signals& shared) {
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.a, 32);
      isa::mbarrier_init(shared.b, 32);
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();
    const bool first = isa::thread_index() < 32;
    isa::mbarrier_arrive(first ? shared.a : shared.b);
    const bool saw = isa::mbarrier_test_wait(first ? shared.b : shared.a, 0);
    if (isa::thread_index() % 32 == 0) {
      outcome[isa::thread_index() / 32] = saw ? 'y' : 'n';
    }
    isa::wait(first ? shared.b : shared.a, 0, {"looker", "other", 0});
  });
}

/// Two warps complete a phase each while a third looks twice: it may miss one, or both.
void miss(const simulator::Options& options, std::string& outcome) {
  simulate_with<Signals>(one_cta<Signals>(96), options, [&](Signals& shared) {
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.a, 32);
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();
    if (isa::thread_index() < 64) {
      isa::mbarrier_arrive(shared.a);
      return;
    }
    for (unsigned look = 0; look < 2; ++look) {
      const bool saw = isa::mbarrier_test_wait(shared.a, look);
      if (isa::thread_index() == 64) {
        outcome[look] = saw ? 'y' : 'n';
      }
    }
  });
}

TEST_CASE("exhaustive: the reduction loses no outcome") {
  std::uint64_t all = 0;
  std::uint64_t reduced = 0;
  const auto seen = outcomes(false, 2, look, &all);
  CHECK(outcomes(true, 2, look, &reduced) == seen);
  CHECK(seen == std::set<std::string>{"ny", "yn", "yy"});
  CHECK(reduced < all);
  const auto missed = outcomes(false, 2, miss, &all);
  CHECK(outcomes(true, 2, miss, &reduced) == missed);
  CHECK(missed.size() > 2);
  CHECK(reduced < all);
  // Which rule names a race of memory accesses depends on their order, and those are not reordered
  // for their own sake. For faults of the protocol the sets agree.
  for (const Planted planted : {Planted::nothing, Planted::not_released, Planted::released_twice,
                                Planted::sixteen_bytes_too_many, Planted::no_drain}) {
    const auto rules_of = [&](bool reduce) {
      std::uint64_t schedules = 0;
      return outcomes(
          reduce, 2,
          [&](const simulator::Options& options, std::string&) {
            SmallRing(1, 1, 1, planted).run(options);
          },
          &schedules);
    };
    INFO("fault " << static_cast<int>(planted));
    CHECK(rules_of(true) == rules_of(false));
  }
}

}  // namespace
}  // namespace warpline::tests
