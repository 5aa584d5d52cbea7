// A version of the ladder and its tile, as constants. Light: every kernel unit includes it.
#pragma once

#include "warpline/target.h"

namespace ladder::inline WARPLINE_TARGET {

using namespace warpline;  // NOLINT(google-build-using-namespace): these files are a program

inline constexpr int versions = 6;
inline constexpr const char* names[versions] = {"ladder_v0", "ladder_v1", "ladder_v2",
                                                "ladder_v3", "ladder_v4", "ladder_v5"};

struct LadderConfig {
  int stages = 2;
  int block_m = 128;
  int block_n = 128;
  int block_k = 64;
};

}  // namespace ladder::inline WARPLINE_TARGET
