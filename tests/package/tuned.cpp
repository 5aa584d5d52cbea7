// A user's program that tunes something of its own: no kernels, no simulator.
#include <tuner/race.h>
#include <tuner/reflect.h>
#include <tuner/space.h>

#include <boost/hana/adapt_struct.hpp>
#include <cstdio>

struct Point {
  int width;
  int depth;
};
BOOST_HANA_ADAPT_STRUCT(Point, width, depth);

namespace tuner = warpline::tuner;

constexpr auto product =
    tuner::space<Point>(tuner::parameter<"width">(1, 2, 4), tuner::parameter<"depth">(3, 5));
constexpr bool plan(const Point& point) { return point.width * point.depth < 20; }
constexpr auto survivors = tuner::survivors<product, plan>();

struct Pretend : tuner::Measure {
  tuner::Outcome check(std::size_t) override { return {}; }
  tuner::Outcome time(std::size_t candidate) override {
    now += 1;
    return {.milliseconds = 10.0 / survivors[candidate].width + survivors[candidate].depth};
  }
  double seconds() override { return now; }
  double now = 0;
};

int main() {
  Pretend pretend;
  const auto winner = tuner::race(survivors.size(), pretend, {.budget_seconds = 1000}).winner();
  std::puts(winner ? tuner::to_string(tuner::values_of(survivors[*winner])).c_str() : "nobody");
}
