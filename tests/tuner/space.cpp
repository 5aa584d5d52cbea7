// Spaces, and the ladder's.
#include "tuner/space.h"

#include <boost/hana/adapt_struct.hpp>
#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tuner/progress_bar.h"
#include "tuner/reflect.h"

namespace warpline::tuner::tests {

struct Tile {
  int depth;
  int rows;
  int columns;
  friend constexpr bool operator==(const Tile&, const Tile&) = default;
};

}  // namespace warpline::tuner::tests

BOOST_HANA_ADAPT_STRUCT(warpline::tuner::tests::Tile, depth, rows, columns);

namespace warpline::tuner::tests {
namespace {

constexpr auto tiles = space<Tile>(parameters<"rows", "columns">({{64, 256}, {128, 128}}),
                                   parameter<"depth">(1, 2, 3));

TEST_CASE("space: the product, the first parameter slowest") {
  static_assert(tiles.size == 6);
  static_assert(tiles.at(0) == Tile{1, 64, 256});
  static_assert(tiles.at(1) == Tile{2, 64, 256});
  static_assert(tiles.at(3) == Tile{1, 128, 128});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < tiles.size; ++i) {
    seen.insert(to_string(values_of(tiles.at(i))));
  }
  CHECK(seen.size() == 6);
  CHECK(seen.count("depth 3, rows 64, columns 256") == 1);
}

TEST_CASE("space: survivors keep their order") {
  constexpr auto plan = [](const Tile& tile) { return tile.depth * tile.rows <= 128; };
  constexpr auto left = survivors<tiles, plan>();
  static_assert(left.size() == 3);
  static_assert(left[0] == Tile{1, 64, 256} && left[1] == Tile{2, 64, 256} &&
                left[2] == Tile{1, 128, 128});
}

TEST_CASE("values: compared by name") {
  CHECK(same({{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}));
  CHECK_FALSE(same({{"a", 1}}, {{"a", 2}}));
  CHECK_FALSE(same({{"a", 1}}, {{"b", 1}}));
  CHECK_FALSE(same({{"a", 1}}, {{"a", 1}, {"b", 2}}));
}

TEST_CASE("progress bar: share, time left, the best") {
  RaceProgress progress{.in_race = 12, .candidates = 36, .seconds = 30, .seconds_left = 90};
  CHECK(render(progress, "", 200) == "[#####---------------]  25 %  12 of 36 left  1:30 to go");
  progress.best = 3;
  progress.best_milliseconds = 1.5;
  CHECK(render(progress, "stages 4", 200) ==
        "[#####---------------]  25 %  12 of 36 left  1:30 to go  best 1.5 ms: stages 4");
  CHECK(render(progress, "stages 4", 40).size() == 40);
  CHECK(render({}, "", 80).substr(0, 5) == "[----");
}

}  // namespace
}  // namespace warpline::tuner::tests
