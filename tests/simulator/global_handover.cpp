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
