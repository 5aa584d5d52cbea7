// From what a GPU's kernel has left in its buffer to a trace. Host code that needs no CUDA, so that
// it is tested without a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "timeline/trace.h"

namespace warpline::timeline {

/// As isa::TraceRecord.
struct RawRecord {
  std::uint32_t begin = 0;
  std::uint32_t second = 0;
  std::uint32_t what = 0;
  std::uint32_t name = 0;
};

struct RawWarp {
  std::uint32_t warp = 0;
  std::uint64_t role = 0;   ///< address of its name; 0: none
  std::uint32_t count = 0;  ///< events, also those without room
  bool ended = false;       ///< whether the kernel has written `count`
  std::vector<RawRecord> records;
};

struct RawCta {
  std::uint32_t cta = 0;
  std::uint32_t sm = 0;
  std::uint64_t clock_begin = 0;
  std::uint64_t nanoseconds_begin = 0;
  std::uint64_t clock_end = 0;  ///< 0: it did not come to its end
  std::uint64_t nanoseconds_end = 0;
  std::uint64_t anchor = 0;  ///< address of some name
  std::vector<RawWarp> warps;
};

/// `name_at` reads the text at a name's address. The clocks of the SMs, which start at different
/// values but tick together, are aligned by the chip's clock: its steps are coarse, so each SM's
/// offset is the median over its CTAs. Records after a zero one are not looked at where a warp has
/// not come to its end.
Trace decode(const std::string& kernel, const std::vector<RawCta>& ctas,
             const std::function<std::string(std::uint64_t)>& name_at);

}  // namespace warpline::timeline
