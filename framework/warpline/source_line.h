// The user's source line, for the simulator's reports. Empty on the GPU, where it costs nothing.
#pragma once

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET {

/// Take it as a last parameter `SourceLine where = SourceLine::current()`: it then names the
/// caller's line.
struct SourceLine {
#if WARPLINE_ON_GPU
  static constexpr WARPLINE_HOST_DEVICE SourceLine current() { return {}; }
  static constexpr WARPLINE_HOST_DEVICE SourceLine inherited() { return {}; }
#else
  const char* file = "";
  unsigned line = 0;
  static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                      unsigned line = __builtin_LINE()) {
    return {file, line};
  }
  /// For what the framework does on behalf of a user's line that it was given before.
  static constexpr SourceLine inherited() { return {nullptr, 0}; }
#endif
};

}  // namespace warpline::inline WARPLINE_TARGET
