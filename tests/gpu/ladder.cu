// The six versions of the ladder on the GPU: every configuration that is built.
#include "tests/samples/ladder_checks.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

void check_version(const std::string& version) {
  on_every_ladder_problem(version, [](MatmulCase& operands, const MatmulPlan& plan, unsigned) {
    for (int run = 0; run < 5; ++run) {
      INFO("run " << run);
      operands.poison_output();
      plan.run();
      synchronize_gpu_matmuls({});
      REQUIRE(operands.exact_error().empty());
    }
  });
}

TEST_CASE("ladder v0 on the GPU") { check_version("v0"); }
TEST_CASE("ladder v1 on the GPU") { check_version("v1"); }
TEST_CASE("ladder v2 on the GPU") { check_version("v2"); }
TEST_CASE("ladder v3 on the GPU") { check_version("v3"); }
TEST_CASE("ladder v4 on the GPU") { check_version("v4"); }
TEST_CASE("ladder v5 on the GPU") { check_version("v5"); }

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
