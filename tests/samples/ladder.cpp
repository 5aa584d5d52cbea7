// The six versions of the ladder on the simulator. WARPLINE_LADDER_SCHEDULES=200 in the environment
// makes it the long version: so many schedules for each shape.
#include <cstdlib>

#include "tests/samples/ladder_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

int schedules() {
  const char* const value = std::getenv("WARPLINE_LADDER_SCHEDULES");
  return value == nullptr ? 1 : std::atoi(value);
}

void check_version(const std::string& version) {
  REQUIRE(schedules() > 0);
  on_every_ladder_problem(version, [](MatmulCase& operands, const MatmulPlan& plan, unsigned seed) {
    for (int i = 0; i < schedules(); ++i) {
      const simulator::Policy policy = every_policy[(seed + static_cast<unsigned>(i)) % 3];
      const simulator::Options options{.seed = seed + 1000 * static_cast<unsigned>(i),
                                       .policy = policy};
      INFO("policy " << to_string(policy) << ", seed " << options.seed);
      operands.poison_output();
      plan.run({.simulator = options});
      REQUIRE(operands.exact_error().empty());
    }
  });
}

TEST_CASE("ladder v0: TMA and mma.sync") { check_version("v0"); }
TEST_CASE("ladder v1: wgmma, one stage") { check_version("v1"); }
TEST_CASE("ladder v2: a ring filled by the same warps") { check_version("v2"); }
TEST_CASE("ladder v3: warp specialisation") { check_version("v3"); }
TEST_CASE("ladder v4: pipeline, raster, one multiply in flight") { check_version("v4"); }
TEST_CASE("ladder v5: two consumer warpgroups") { check_version("v5"); }

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
