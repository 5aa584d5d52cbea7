// Names and values: how the tuner sees a configuration or a problem, whatever the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpline::tuner {

/// In the order that they are to be shown in.
using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// "stages 4, block_m 128"
std::string to_string(const Values& values);

/// Whether both have the same names with the same values, in any order.
bool same(const Values& a, const Values& b);

}  // namespace warpline::tuner
