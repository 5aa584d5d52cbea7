#include "tests/docs/readme_kernel.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/schedules.h"
#include "warpline/describe.h"

namespace example {
namespace {

// Small integers, so that the sums are exact.
int element(int row, int column) { return (row * 3 + column * 5) % 7 - 3; }

std::vector<__half> filled(int rows, int columns) {
  std::vector<__half> values;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      values.push_back(__int2half_rn(element(row, column)));
    }
  }
  return values;
}

TEST_CASE("the README's kernel multiplies, also where sizes are no multiple of a tile") {
  constexpr int m = 130;
  constexpr int n = 72;
  constexpr int k = 136;  // three k tiles: more than stages
  auto a = filled(m, k);
  auto b = filled(n, k);
  warpline::tests::on_every_schedule(2, [&](Stream stream) {
    stream.options.strict = stream.options.seed == 2;
    std::vector<__half> c(m * n, __int2half_rn(-1));
    matmul(stream, {a.data(), m, k, k}, {b.data(), n, k, k}, {c.data(), m, n, n});
    int wrong = 0;
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        int sum = 0;
        for (int i = 0; i < k; ++i) {
          sum += element(row, i) * element(column, i);
        }
        wrong +=
            __half2float(c[static_cast<std::size_t>(row * n + column)]) != static_cast<float>(sum);
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("README.md quotes the plan of its kernel") {
  std::ifstream page(WARPLINE_TESTS_FOLDER "/../README.md");
  std::ostringstream text;
  text << page.rdbuf();
  INFO(describe<Matmul>());
  CHECK(text.str().find(describe<Matmul>()) != std::string::npos);
}

}  // namespace
}  // namespace example
