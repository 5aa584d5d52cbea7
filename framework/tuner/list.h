// Prints a pruned space for the build, which makes a unit of each line: warpline_list_space in
// framework/cmake/WarplineSpace.cmake compiles and runs a program whose main calls this.
#pragma once

#include <boost/hana/accessors.hpp>
#include <boost/hana/for_each.hpp>
#include <cstdio>

namespace warpline::tuner {

/// A line for each point: "subset" or "full", then NAME=VALUE for each member.
template <class Points, class InSubset>
void print_space(const Points& points, InSubset in_subset) {
  for (const auto& point : points) {
    std::printf("%s", in_subset(point) ? "subset" : "full");
    boost::hana::for_each(
        boost::hana::accessors<typename Points::value_type>(), [&](auto accessor) {
          std::printf(" %s=%lld", boost::hana::first(accessor).c_str(),
                      static_cast<long long>(boost::hana::second(accessor)(point)));
        });
    std::printf("\n");
  }
}

}  // namespace warpline::tuner
