// The shares of CTAs: every unit is somebody's, and nobody else's; later CTAs have no more.
#include "rows/row_shares.h"

#include <algorithm>
#include <vector>

#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

std::vector<int> owners(const RowShares& shares) {
  std::vector<int> count(static_cast<std::size_t>(shares.units), 0);
  for (int cta = 0; cta < shares.ctas(); ++cta) {
    const UnitShare share = shares.share(cta);
    REQUIRE(share.first < share.end);
    for (int unit = share.first; unit < share.end; unit += shares.resident) {
      REQUIRE(unit < shares.units);
      ++count[static_cast<std::size_t>(unit)];
    }
  }
  return count;
}

int size_of(const RowShares& shares, int cta) {
  const UnitShare share = shares.share(cta);
  return (share.end - share.first + shares.resident - 1) / shares.resident;
}

}  // namespace

TEST_CASE("rows: each unit of work has one CTA") {
  for (const int resident : {1, 2, 3, 7, 132}) {
    for (const int least : {0, 1, 2, 4}) {
      for (const int units : {1, 2, 5, 7, 8, 131, 132, 133, 264, 1000, 2771}) {
        CAPTURE(resident, least, units);
        const RowShares shares{units, std::min(units, resident), least};
        const std::vector<int> count = owners(shares);
        CHECK(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
      }
    }
  }
}

TEST_CASE("rows: shares become shorter, and no CTA has none") {
  const RowShares shares{.units = 8192, .resident = 396, .least = 2};
  CHECK(size_of(shares, 0) == 10);
  CHECK(size_of(shares, 396) == 5);
  CHECK(size_of(shares, 2 * 396) == 3);
  CHECK(size_of(shares, 3 * 396) == 2);
  CHECK(size_of(shares, shares.ctas() - 1) == 1);
  for (int cta = 1; cta < shares.ctas(); ++cta) {
    REQUIRE(size_of(shares, cta) <= size_of(shares, cta - 1));
  }
  const RowShares whole{.units = 1000, .resident = 264, .least = 0};
  CHECK(whole.ctas() == 264);
}

TEST_CASE("rows: the most units") {
  const RowShares shares{RowShares::most_units, 132, 2};
  const UnitShare last = shares.share(shares.ctas() - 1);
  CHECK(last.end == RowShares::most_units);
  CHECK(last.first < last.end);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
