#include "tests/simulator/global_handover.h"

#include <numeric>
#include <vector>

#include "simulator/explore.h"
#include "tests/support/faults.h"

namespace warpline::tests {
namespace {

constexpr uint32_t parts = 5;

template <class Kernel>
std::vector<int32_t> run_parts(const simulator::Options& options) {
  std::vector<int32_t> input(parts * 64);
  std::iota(input.begin(), input.end(), 1);
  std::vector<int32_t> sum(64);
  uint32_t turn = 0;
  launch<Kernel>(Stream{.options = options}, {parts, 1, 1}, {input.data(), sum.data(), &turn});
  return sum;
}

std::vector<int32_t> expected(int factor) {
  std::vector<int32_t> sum;
  for (int i = 0; i < 64; ++i) {
    int32_t total = 0;
    for (uint32_t part = 0; part < parts; ++part) {
      total += static_cast<int32_t>(part * 64) + i + 1;
    }
    sum.push_back(factor * total);
  }
  return sum;
}

TEST_CASE("global memory: clusters hand over with release and acquire") {
  clean([](const simulator::Options& options) {
    REQUIRE(run_parts<OrderedSum<HandOver::right>>(options) == expected(1));
    REQUIRE(run_parts<LastDoubles>(options) == expected(2));
  });
}

TEST_CASE("global memory: floats that are added four at a time") {
  std::vector<float> input(parts * 256);
  std::iota(input.begin(), input.end(), 1.0f);
  std::vector<float> expected(256);
  for (size_t i = 0; i < input.size(); ++i) {
    expected[i % 256] += 2 * input[i];
  }
  clean([&](const simulator::Options& options) {
    std::vector<float> sum(256);
    uint32_t turn = 0;
    launch<LastDoublesFours>(Stream{.options = options}, {parts, 1, 1},
                             {input.data(), sum.data(), &turn});
    REQUIRE(sum == expected);
  });
}

constexpr float ones[4] = {1, 1, 1, 1};

/// Two CTAs, each with one thread.
template <class First, class Second>
auto two_clusters(First first, Second second) {
  return [=](const simulator::Options& options) {
    alignas(16) float sum[8] = {};
    simulator::simulate({.kernel = "test", .grid = {2, 1, 1}, .threads = 1}, options, [&](void*) {
      if (isa::block_index().x == 0) {
        first(sum);
      } else {
        second(sum);
      }
    });
  };
}

TEST_CASE("global memory: four floats are added at multiples of 16 bytes, and by all who add") {
  const auto add = [](float* sum) { isa::add_four_relaxed(sum, ones); };
  clean(two_clusters(add, [](float* sum) { isa::add_four_relaxed(sum + 4, ones); }));
  clean(two_clusters(add, [](float* sum) { isa::add_relaxed(sum + 3, 1.0f); }));
  faults(FaultKind::out_of_bounds, {"an atomic access of 16 bytes"},
         two_clusters(add, [](float* sum) { isa::add_four_relaxed(sum + 2, ones); }));
  faults(FaultKind::data_race, {"global memory", "cluster-race"},
         two_clusters(add, [](float* sum) { isa::store_global(sum + 3, 1.0f); }));
  faults(FaultKind::data_race, {"global memory", "cluster-race"},
         two_clusters(add, [](float* sum) { isa::load_global(sum + 3); }));
}

TEST_CASE("global memory: a hand-over without release, acquire or synchronisation is a race") {
  faults(FaultKind::data_race, {"worker (CTA", "global memory", "cluster-race"},
         run_parts<OrderedSum<HandOver::no_release>>);
  faults(FaultKind::data_race, {"worker (CTA", "global memory", "cluster-race"},
         run_parts<OrderedSum<HandOver::no_acquire>>);
  faults(FaultKind::data_race, {"worker (CTA", "global memory", "cluster-race"},
         run_parts<OrderedSum<HandOver::no_synchronisation>>);
}

TEST_CASE("global memory: a flag that nobody will set is a deadlock, and named") {
  faults(FaultKind::deadlock, {"waits for a flag in global memory to be at least 7: it is 0"},
         [](const simulator::Options& options) {
           uint32_t flag = 0;
           simulator::simulate({.kernel = "test", .grid = {1, 1, 1}, .threads = 32}, options,
                               [&](void*) {
                                 isa::wait_at_least(&flag, 7u, {"waiter", "flag", 0});
                               });
         });
}

TEST_CASE("global memory: every schedule of an ordered hand-over is right") {
  const auto found = simulator::exhaust({}, [](const simulator::Options& options) {
    uint32_t turn = 0;
    int sum = 0;
    simulator::simulate({.kernel = "test", .grid = {3, 1, 1}, .threads = 1}, options, [&](void*) {
      const uint32_t part = isa::block_index().x;
      isa::wait_at_least(&turn, part, {"worker", "turn", 0});
      isa::store_global(&sum, isa::load_global(&sum) * 10 + static_cast<int>(part) + 1);
      isa::store_release(&turn, part + 1);
    });
    REQUIRE(sum == 123);
  });
  INFO(found.text());
  REQUIRE(found.complete);
  REQUIRE(found.reports.empty());
}

}  // namespace
}  // namespace warpline::tests
