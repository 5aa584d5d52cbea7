#include "timeline/occupancy.h"

#include <algorithm>
#include <map>

namespace warpline::timeline {

namespace {

struct Stage {
  std::vector<const Event*> loads;
  std::vector<std::uint64_t> releases;
};

/// Adds +1 and -1 at the times when the stage becomes full and empty.
void add_changes(Stage& stage, std::uint64_t cta_end,
                 std::vector<std::pair<std::uint64_t, int>>& changes) {
  std::sort(stage.loads.begin(), stage.loads.end(),
            [](const Event* a, const Event* b) { return a->begin < b->begin; });
  std::sort(stage.releases.begin(), stage.releases.end());
  for (std::size_t i = 0; i < stage.loads.size();) {
    std::uint64_t landed = stage.loads[i]->end;
    // The loads of one turn are issued before any of them has landed.
    for (++i; i < stage.loads.size() && stage.loads[i]->begin < landed; ++i) {
      landed = std::max(landed, stage.loads[i]->end);
    }
    const std::uint64_t next = i < stage.loads.size() ? stage.loads[i]->begin : cta_end;
    const auto after = std::upper_bound(stage.releases.begin(), stage.releases.end(), next);
    const bool released = after != stage.releases.begin() && *(after - 1) >= landed;
    changes.emplace_back(landed, 1);
    changes.emplace_back(released ? *(after - 1) : next, -1);
  }
}

}  // namespace

std::vector<Occupancy> occupancies_of(const Trace& trace) {
  std::map<std::uint32_t, std::map<std::uint16_t, Stage>> ctas;
  for (const Track& track : trace.tracks) {
    for (const Event& event : track.events) {
      if (event.stage == no_stage) {
        continue;
      }
      if (event.kind == Kind::copy) {
        ctas[track.cta][event.stage].loads.push_back(&event);
      } else if (event.kind == Kind::release && trace.names[event.name] == "empty") {
        ctas[track.cta][event.stage].releases.push_back(event.end);
      }
    }
  }
  std::vector<Occupancy> result;
  for (const CtaSpan& span : trace.ctas) {
    const auto found = ctas.find(span.cta);
    if (found == ctas.end()) {
      continue;
    }
    std::vector<std::pair<std::uint64_t, int>> changes;
    Occupancy occupancy{.cta = span.cta, .end = span.end};
    for (auto& [index, stage] : found->second) {
      occupancy.stages = std::max<std::uint32_t>(occupancy.stages, index + 1u);
      add_changes(stage, span.end, changes);
    }
    // At the same time, what ends comes before what begins.
    std::sort(changes.begin(), changes.end());
    int full = 0;
    for (const auto& [time, change] : changes) {
      full += change;
      if (!occupancy.steps.empty() && occupancy.steps.back().first == time) {
        occupancy.steps.back().second = static_cast<std::uint32_t>(full);
      } else {
        occupancy.steps.emplace_back(time, static_cast<std::uint32_t>(full));
      }
    }
    result.push_back(std::move(occupancy));
  }
  return result;
}

}  // namespace warpline::timeline
