// What many ratios come to.
#pragma once

#include <optional>
#include <vector>

#include "samples/bench/matmul/row.h"

namespace bench {

/// Where the bytes that must move limit a matmul, not its multiplications: M up to this.
inline constexpr std::int64_t small_m = 64;
/// Shapes below this part of the vendor's best are named.
inline constexpr double behind = 0.95;

/// Nothing of nothing; ratios must be above 0.
std::optional<double> geometric_mean(const std::vector<double>& ratios);

}  // namespace bench
