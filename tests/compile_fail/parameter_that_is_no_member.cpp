// expect: a parameter's name is no member of the point
// A misspelt parameter would otherwise leave its member at zero in every configuration.
#include <boost/hana/adapt_struct.hpp>

#include "tuner/space.h"

struct Point {
  int stages;
  int rows;
};
BOOST_HANA_ADAPT_STRUCT(Point, stages, rows);

#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Rows = warpline::tuner::Parameter<2, "rows">;
#else
using Rows = warpline::tuner::Parameter<2, "row">;
#endif

constexpr auto product =
    warpline::tuner::space<Point>(warpline::tuner::parameter<"stages">(2, 3), Rows{{{64}, {128}}});

int main() { return product.at(0).stages - 2; }
