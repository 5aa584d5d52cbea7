// The pruned space. (Apart from space.h: Hana must know Point before its points are made.)
#pragma once

#include "samples/ladder/space.h"

namespace ladder::inline WARPLINE_TARGET {

inline constexpr auto survivors = tuner::survivors<product, plan_of>();
static_assert(std::all_of(survivors.begin(), survivors.end(), plan_of));

}  // namespace ladder::inline WARPLINE_TARGET
