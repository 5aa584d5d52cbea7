// What was recorded of a kernel: events with times, on tracks. Both targets fill it; the analysis
// and the writers read it. Nothing here depends on either target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/kind.h"

namespace warpline::timeline {

inline constexpr std::uint16_t no_stage = 0xffff;

/// A span of time, or a moment (begin == end).
struct Event {
  std::uint64_t begin = 0;  ///< cycles of the trace
  std::uint64_t end = 0;
  std::uint32_t amount = 0;  ///< bytes or cycles: see Kind
  std::uint32_t name = 0;    ///< in Trace::names: the barrier, or what the user called it
  std::uint16_t stage = no_stage;
  std::uint16_t barrier = 0;  ///< offset of the mbarrier in shared memory, in units of 8 bytes
  Kind kind = Kind::user;

  bool operator==(const Event&) const = default;
};

enum class Engine : std::uint8_t { warp, copy, tensor };

/// What one warp did, or one engine for one CTA, in the order of the events' ends.
struct Track {
  Engine engine = Engine::warp;
  std::uint32_t sm = 0;
  std::uint32_t cta = 0;      ///< linear index in the grid
  std::uint32_t warp = 0;     ///< index in the CTA; of an engine: the first warp that it works for
  std::uint32_t role = 0;     ///< in Trace::names
  std::uint64_t dropped = 0;  ///< events that found no room
  bool cut = false;           ///< the warp did not reach its end: what came last may be missing
  std::vector<Event> events;
};

/// When a CTA began and ended.
struct CtaSpan {
  std::uint32_t cta = 0;
  std::uint32_t sm = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Trace {
  std::string kernel;
  /// "gpu" or "simulator".
  std::string target;
  /// Unit of all times, for people: "SM cycles", "virtual cycles" or "scheduler steps".
  std::string unit = "cycles";
  /// To turn times into microseconds.
  double cycles_per_microsecond = 1755;
  /// On the GPU, a load's landing is not recorded: the end of the first wait for it stands for it.
  bool landings_derived = false;
  std::vector<std::string> names{std::string()};
  std::vector<CtaSpan> ctas;
  std::vector<Track> tracks;
  std::uint64_t dropped_ctas = 0;  ///< selected, but without room in the buffer

  std::uint64_t events() const {
    std::uint64_t count = 0;
    for (const Track& track : tracks) {
      count += track.events.size();
    }
    return count;
  }
  std::uint64_t dropped() const {
    std::uint64_t count = 0;
    for (const Track& track : tracks) {
      count += track.dropped;
    }
    return count;
  }
  /// Index of `name`, which is added if need be.
  std::uint32_t name(const std::string& text) {
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        return i;
      }
    }
    names.push_back(text);
    return static_cast<std::uint32_t>(names.size() - 1);
  }
};

}  // namespace warpline::timeline
