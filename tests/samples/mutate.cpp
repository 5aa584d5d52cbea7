// The mutation tool on shipped kernels: whatever can be wrong with their synchronisation is
// reported, or is equivalent for a reason that is known.
#include "samples/mutate/matmul_problem.h"
#include "samples/pipeline_alone/scale.h"
#include "simulator/mutation.h"
#include "tests/docs/howto_kernel.h"
#include "tests/support/catch.h"

namespace {

using warpline::MatmulKernel;
using warpline::simulator::MutantResult;
using warpline::simulator::mutate;
using warpline::simulator::MutationReport;
using warpline::simulator::Options;
using warpline::simulator::Outcome;

void everything_is_found(const MutationReport& report, std::size_t reported_at_least) {
  INFO(report.text());
  CHECK(report.count(Outcome::survived) == 0);
  CHECK(report.count(Outcome::wrong_result) == 0);
  CHECK(report.count(Outcome::reported) >= reported_at_least);
  for (const MutantResult& result : report.mutants) {
    INFO(report.sites[result.mutant.site].text() << ", " << to_string(result.mutant.change));
    CHECK((result.outcome == Outcome::equivalent || result.reason.empty()));  // no rule was wrong
  }
}

TEST_CASE("mutants of the smallest warp-specialised matmul") {
  const std::vector<MatmulKernel>& kernels = warpline::simulator_matmul_kernels();
  const auto kernel = std::find_if(kernels.begin(), kernels.end(), [](const MatmulKernel& k) {
    return k.block_n == 64 && k.block_k == 16 && k.stages == 2;
  });
  REQUIRE(kernel != kernels.end());
  const auto subject = sample::matmul_subject("matmul", *kernel, {.m = 40, .n = 72, .k = 72});
  everything_is_found(mutate(subject.run), 45);
}

TEST_CASE("mutants of a pipeline alone") {
  everything_is_found(mutate([](const Options& options) {
                        constexpr int count = 4 * pipeline_alone::Scale::chunk + 100;
                        const std::vector<float> in(count, 3.0F);
                        std::vector<float> out(count);
                        warpline::launch<pipeline_alone::Scale>(
                            {.options = options}, {1, 1, 1}, {in.data(), out.data(), count, 2.5F});
                        return out == std::vector<float>(count, 7.5F);
                      }),
                      55);
}

}  // namespace
