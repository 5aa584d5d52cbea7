// The ladder's space: what survives fits the chip, what the heuristic may choose is built, and the
// catalog is the subset.
#include <random>

#include "samples/ladder/candidates.h"
#include "samples/ladder/catalog.h"
#include "samples/ladder/survivors.h"
#include "samples/support/usage_error.h"
#include "tests/support/catch.h"

namespace ladder::inline WARPLINE_TARGET {
namespace {

using Catch::Matchers::ContainsSubstring;

bool survives(const Point& point) {
  return std::find(survivors.begin(), survivors.end(), point) != survivors.end();
}

TEST_CASE("ladder's space: every version, each with its own form") {
  static_assert(product.size == 6 * 7 * 3 * 7);
  int of_version[versions] = {};
  for (const Point& point : survivors) {
    ++of_version[point.version];
    const LadderPlan needs = plan(point.version, point.config());
    CHECK(needs.shared_bytes <= 232448);
    CHECK(needs.accumulator_registers <= 200);
    CHECK((point.stages == 1) == (point.version < 2));
  }
  for (const int count : of_version) {
    CHECK(count > 0);
  }
  CHECK(survives({5, 4, 128, 256, 64}));
  CHECK(survives({4, 5, 64, 256, 64}));
  CHECK(survives({4, 2, 128, 192, 64}));
  CHECK_FALSE(survives({3, 2, 128, 256, 64}));  // 256 accumulators
  CHECK_FALSE(survives({5, 2, 256, 256, 16}));
  CHECK_FALSE(survives({5, 5, 128, 256, 64}));  // 240 KB
  CHECK_FALSE(survives({5, 2, 64, 256, 64}));   // half of 64 rows is no wgmma
}

TEST_CASE("ladder's space: what the heuristic chooses is built") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto extent = [&] { return static_cast<std::int64_t>(1) << random() % 15; };
    const std::int64_t m = extent() + random() % 100;
    const std::int64_t n = extent() + random() % 100;
    for (int version = 0; version < versions; ++version) {
      const Choice choice = heuristic(version, m, n, 132);
      INFO("v" << version << ", " << m << " x " << n);
      CHECK(survives(choice.point));
      CHECK(in_subset(choice.point));
      CHECK((choice.raster != 0) == facts[version].rasters);
    }
  }
}

TEST_CASE("ladder's catalog: the subset, once each") {
  const auto& catalog = simulator_kernels();
  std::size_t subset = 0;
  for (const Point& point : survivors) {
    if (!in_subset(point)) {
      continue;
    }
    ++subset;
    CHECK(std::count_if(catalog.begin(), catalog.end(), [&](const auto& kernel) {
            return kernel.name == std::string(names[point.version]) &&
                   Point{point.version, kernel.stages, kernel.block_m, kernel.block_n,
                         kernel.block_k} == point;
          }) == 1);
  }
  CHECK(catalog.size() == subset);
}

TEST_CASE("ladder's candidates: filters and rasters") {
  const auto& catalog = simulator_kernels();
  CHECK(candidates(catalog, 0, {}).size() == 1);
  const auto v4 = candidates(catalog, 4, {.block_k = 64});
  // What the heuristic takes for few tiles, for many small ones and for many large ones.
  CHECK(v4.size() == 3 * std::size(rasters));
  CHECK(candidates(catalog, 4, {.block_k = 64, .raster = 3}).size() == 3);
  CHECK(candidates(catalog, 4, {.block_k = 64, .raster = 3})[0].raster == 3);
  CHECK_THROWS_WITH(candidates(catalog, 2, {.raster = 4}), ContainsSubstring("no raster"));
  CHECK_THROWS_AS(candidates(catalog, 2, {.stages = 1}), sample::UsageError);
  const auto values = values_of(v4[1]);
  REQUIRE(find(v4, values) != nullptr);
  CHECK(to_string(*find(v4, values)) == to_string(v4[1]));
  CHECK(find(v4, {{"stages", 4}}) == nullptr);
  // The guess stays within the filter.
  const Candidate guessed = guess(candidates(catalog, 5, {.block_n = 256}), {64, 64, 64}, 132);
  CHECK(guessed.kernel->block_n == 256);
}

}  // namespace
}  // namespace ladder::inline WARPLINE_TARGET
