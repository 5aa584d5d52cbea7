// The members of a struct that Hana knows, as names and values.
#pragma once

#include <boost/hana/accessors.hpp>
#include <boost/hana/for_each.hpp>

#include "tuner/configuration.h"

namespace warpline::tuner {

template <class Struct>
Values values_of(const Struct& point) {
  Values values;
  boost::hana::for_each(boost::hana::accessors<Struct>(), [&](auto accessor) {
    values.emplace_back(boost::hana::first(accessor).c_str(),
                        static_cast<std::int64_t>(boost::hana::second(accessor)(point)));
  });
  return values;
}

}  // namespace warpline::tuner
