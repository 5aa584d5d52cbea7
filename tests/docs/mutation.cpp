// The excerpts of docs/mutation.md.
#include "simulator/mutation.h"

#include <vector>

#include "tests/docs/howto_kernel.h"
#include "tests/support/catch.h"

namespace example {
namespace {

TEST_CASE("the how-to's kernel under mutation") {
  constexpr int rows = 150;
  constexpr int columns = 36;
  const std::vector<float> x(rows * columns, 1.0F);
  const std::vector<float> y(rows * columns, 3.0F);
  // [mutate]
  const auto run = [&](const simulator::Options& options) {
    std::vector<float> result = y;
    scaled_add({.options = options}, 2.0F, {x.data(), rows, columns, columns},
               {result.data(), rows, columns, columns}, 1);
    return result == std::vector<float>(rows * columns, 5.0F);
  };
  const simulator::MutationReport report = simulator::mutate(run, {.schedules = 8});
  INFO(report.text());
  CHECK(report.count(simulator::Outcome::wrong_result) == 0);
  CHECK(report.count(simulator::Outcome::survived) == 0);
  // [mutate]
}

}  // namespace
}  // namespace example
