// Strict mode: what vendors do and the PTX ISA does not promise is reported too.
#include "tests/support/faults.h"
#include "tests/warpline/multiply_kernel.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

/// A matmul of 5 k tiles through two stages.
template <Release Policy>
void multiply(simulator::Options options, bool strict) {
  using Kernel = MultiplyKernel<MultiplyConfig{.stages = 2, .release = Policy}>;
  using P = Kernel::Product;
  options.strict = strict;
  const DeviceArray<__half> a(multiply_matrix(P::rows, 5 * P::depth));
  const DeviceArray<__half> b(multiply_matrix(P::columns, 5 * P::depth));
  const DeviceArray<float> out(std::vector<float>(P::rows * P::columns));
  launch<Kernel>(Stream{.options = options}, {1, 1, 1}, product_arguments<P>(a, b, out, 1, 5));
}

TEST_CASE("one arrival for four warps is vendor practice: reported only in strict mode") {
  clean(
      [](const simulator::Options& options) { multiply<Release::per_warpgroup>(options, false); });
  faults(
      FaultKind::wgmma_race, {"a tensor load", "a multiply's read of the same bytes"},
      [](const simulator::Options& options) { multiply<Release::per_warpgroup>(options, true); });
}

TEST_CASE("an arrival of each warp, or of each thread, is clean in strict mode") {
  clean([](const simulator::Options& options) { multiply<Release::per_warp>(options, true); });
  clean([](const simulator::Options& options) { multiply<Release::per_thread>(options, true); });
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
