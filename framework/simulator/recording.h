// What a simulation records of its events (Options::recording): what isa/trace.h reports, and what
// the engines did. Times are virtual cycles with Policy::timed, scheduler steps otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "timeline/trace.h"

namespace warpline::simulator {

struct RecordingLimits {
  /// CTAs first_cta to first_cta + ctas - 1 of the grid are recorded.
  std::uint32_t first_cta = 0;
  std::uint32_t ctas = 0xffffffff;
  /// Of each track. What comes later is counted, not kept.
  std::uint64_t events_per_track = std::uint64_t{1} << 20;
};

class TimelineRecording {
 public:
  explicit TimelineRecording(const RecordingLimits& limits = {}) : limits_(limits) {}

  /// Everything since the last take(). A simulation that ended in a fault leaves what came before.
  timeline::Trace take();

  // For the machine.
  void begin(const std::string& kernel, bool timed);
  bool wants(std::uint32_t cta) const {
    return cta >= limits_.first_cta && cta - limits_.first_cta < limits_.ctas;
  }
  void cta_began(std::uint32_t cta, std::uint32_t sm, std::uint64_t at);
  void cta_ended(std::uint32_t cta, std::uint64_t at);
  void warp_ended(std::uint32_t cta, std::uint32_t warp);
  void role(std::uint32_t cta, std::uint32_t warp, const char* role);
  std::uint32_t name(const std::string& text);
  void add(timeline::Engine engine, std::uint32_t cta, std::uint32_t warp,
           const timeline::Event& event);

 private:
  timeline::Track& track(timeline::Engine engine, std::uint32_t cta, std::uint32_t warp);

  RecordingLimits limits_;
  timeline::Trace trace_;
  std::unordered_map<std::uint64_t, std::size_t> tracks_;
  std::unordered_map<std::uint32_t, std::size_t> ctas_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

}  // namespace warpline::simulator
