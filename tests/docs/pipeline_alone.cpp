#include "tests/docs/pipeline_alone.h"

#include <numeric>
#include <vector>

#include "tests/support/schedules.h"

namespace example {
namespace {

TEST_CASE("a pipeline alone, without launch, sums blocks") {
  constexpr int blocks = 7;
  alignas(16) static float data[blocks * Sum::block];
  std::iota(std::begin(data), std::end(data), 0.0f);
  warpline::tests::on_every_schedule(5, [&](const warpline::Stream& stream) {
    std::vector<float> sums(128);
    // [simulate]
    warpline::simulator::simulate({.kernel = "sum",
                                   .grid = {1, 1, 1},
                                   .cluster = {1, 1, 1},
                                   .threads = Sum::Roles::threads,
                                   .shared_bytes = sizeof(Sum::Ring::Storage)},
                                  stream.options, [&](void* shared) {
                                    Sum::run(*static_cast<Sum::Ring::Storage*>(shared), data,
                                             blocks, sums.data());
                                  });
    // [simulate]
    const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    CHECK(sum == blocks * Sum::block * (blocks * Sum::block - 1) / 2.0);
  });
}

}  // namespace
}  // namespace example
