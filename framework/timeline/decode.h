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

/// The clock of an SM and the chip's, read together.
struct RawTime {
  std::uint64_t clock = 0;
  std::uint64_t nanoseconds = 0;
};

struct RawWarp {
  std::uint32_t cta = 0;
  std::uint32_t sm = 0;
  std::uint32_t warp = 0;
  std::uint32_t warps = 0;  ///< of its CTA
  RawTime begin;
  RawTime end;               ///< zero: it did not come to its end
  std::uint64_t anchor = 0;  ///< address of some name
  std::uint32_t count = 0;   ///< records, also those without room; only of a warp that ended
  std::vector<RawRecord> records;

  bool ended() const { return end.clock != 0; }
};

/// What `warps` have left; `asked` is how many wanted to. A CTA is shown if all of its warps are
/// there, and counted otherwise. `name_at` reads the text at a name's address. The clocks of the
/// SMs, which start at different values but tick together, are aligned by the chip's clock: its
/// steps are coarse, so each SM's offset is the median over its CTAs. Records after a zero one are
/// not looked at where a warp has not come to its end.
Trace decode(const std::string& kernel, const std::vector<RawWarp>& warps, std::uint32_t asked,
             const std::function<std::string(std::uint64_t)>& name_at);

}  // namespace warpline::timeline
