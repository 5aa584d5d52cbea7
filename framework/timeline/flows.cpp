#include "timeline/flows.h"

#include <algorithm>
#include <unordered_map>

namespace warpline::timeline {

namespace {

struct Source {
  std::uint64_t end;
  std::uint32_t track;
  std::uint32_t event;
};

std::uint64_t key_of(std::uint32_t cta, std::uint16_t barrier) {
  return static_cast<std::uint64_t>(cta) << 16 | barrier;
}

}  // namespace

std::vector<Flow> flows_of(const Trace& trace) {
  std::unordered_map<std::uint64_t, std::vector<Source>> sources;
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    for (std::uint32_t e = 0; e < track.events.size(); ++e) {
      const Event& event = track.events[e];
      if (event.kind == Kind::copy || event.kind == Kind::release) {
        sources[key_of(track.cta, event.barrier)].push_back({event.end, t, e});
      }
    }
  }
  for (auto& [key, list] : sources) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Source& a, const Source& b) { return a.end < b.end; });
  }
  std::vector<Flow> flows;
  for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    for (std::uint32_t e = 0; e < track.events.size(); ++e) {
      const Event& wait = track.events[e];
      if (wait.kind != Kind::wait || wait.begin == wait.end) {
        continue;
      }
      const auto found = sources.find(key_of(track.cta, wait.barrier));
      if (found == sources.end()) {
        continue;
      }
      const auto& list = found->second;
      auto at = std::upper_bound(list.begin(), list.end(), wait.end,
                                 [](std::uint64_t end, const Source& s) { return end < s.end; });
      if (at == list.begin() || (--at)->end < wait.begin) {
        continue;  // it was complete before: nobody waited
      }
      flows.push_back({at->track, at->event, t, e});
    }
  }
  return flows;
}

}  // namespace warpline::timeline
