#include "timeline/resolve.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace warpline::timeline {

namespace {

struct Place {
  std::uint32_t name;
  std::uint16_t stage;
};

/// What the waits of a CTA call its barriers. All CTAs of a kernel have them at the same offsets.
using Barriers = std::unordered_map<std::uint16_t, Place>;

Barriers barriers_of(const Trace& trace) {
  Barriers barriers;
  for (const Track& track : trace.tracks) {
    for (const Event& event : track.events) {
      if (event.kind == Kind::wait) {
        barriers.try_emplace(event.barrier, Place{event.name, event.stage});
      }
    }
  }
  return barriers;
}

bool concerns_barrier(Kind kind) {
  return kind == Kind::copy || kind == Kind::copy_issue || kind == Kind::release;
}

void name_stages(Trace& trace, const Barriers& barriers) {
  for (Track& track : trace.tracks) {
    std::uint16_t waited_for = no_stage;
    for (Event& event : track.events) {
      if (event.kind == Kind::wait) {
        waited_for = event.stage;
      } else if (event.kind == Kind::multiply_issue) {
        event.stage = event.stage == no_stage ? waited_for : event.stage;
      } else if (concerns_barrier(event.kind) && event.stage == no_stage) {
        const auto found = barriers.find(event.barrier);
        if (found != barriers.end()) {
          event.stage = found->second.stage;
        }
      }
    }
  }
}

std::uint64_t key_of(std::uint32_t cta, std::uint32_t low) {
  return static_cast<std::uint64_t>(cta) << 32 | low;
}

/// A load has landed where the first wait for its barrier that ends after its issue ends.
void derive_copies(const Trace& trace, std::vector<Track>& engines) {
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> wait_ends;
  for (const Track& track : trace.tracks) {
    for (const Event& event : track.events) {
      if (event.kind == Kind::wait) {
        wait_ends[key_of(track.cta, event.barrier)].push_back(event.end);
      }
    }
  }
  for (auto& [key, ends] : wait_ends) {
    std::sort(ends.begin(), ends.end());
  }
  std::map<std::uint32_t, Track> copies;
  for (const Track& track : trace.tracks) {
    for (const Event& issue : track.events) {
      if (issue.kind != Kind::copy_issue) {
        continue;
      }
      Track& to = copies[track.cta];
      to.engine = Engine::copy;
      to.sm = track.sm;
      to.cta = track.cta;
      const auto& ends = wait_ends[key_of(track.cta, issue.barrier)];
      const auto end = std::upper_bound(ends.begin(), ends.end(), issue.begin);
      Event copy = issue;
      copy.kind = Kind::copy;
      copy.end = end == ends.end() ? issue.begin : *end;
      to.events.push_back(copy);
    }
  }
  for (auto& [cta, track] : copies) {
    std::stable_sort(track.events.begin(), track.events.end(),
                     [](const Event& a, const Event& b) { return a.end < b.end; });
    engines.push_back(std::move(track));
  }
}

/// A multiply is done where the first wait that covers it ends, and begins when the one before is
/// done.
void derive_multiplies(const Track& warp, std::vector<Track>& engines) {
  Track to{.engine = Engine::tensor, .sm = warp.sm, .cta = warp.cta, .warp = warp.warp};
  std::vector<Event> issued;
  std::size_t done = 0;
  std::uint64_t free_at = 0;
  const auto finish = [&](std::size_t until, std::uint64_t at) {
    for (; done < until; ++done) {
      Event multiply = issued[done];
      multiply.kind = Kind::multiply;
      multiply.begin = std::min(std::max(multiply.begin, free_at), at);
      multiply.end = std::min(at, multiply.begin + std::max<std::uint64_t>(multiply.amount, 1));
      // What was waited for may have been done long before: it took at least its time.
      free_at = multiply.end;
      to.events.push_back(multiply);
    }
  };
  for (const Event& event : warp.events) {
    if (event.kind == Kind::multiply_issue) {
      issued.push_back(event);
    } else if (event.kind == Kind::multiply_wait) {
      const std::size_t pending = event.stage == no_stage ? 0 : event.stage;
      finish(issued.size() - std::min(issued.size(), pending), event.end);
    }
  }
  finish(issued.size(), warp.events.empty() ? 0 : warp.events.back().end);
  if (!to.events.empty()) {
    engines.push_back(std::move(to));
  }
}

void derive_engines(Trace& trace) {
  for (const Track& track : trace.tracks) {
    if (track.engine != Engine::warp) {
      return;  // they are there
    }
  }
  std::vector<Track> engines;
  derive_copies(trace, engines);
  for (const Track& track : trace.tracks) {
    if (track.warp % 4 == 0) {
      derive_multiplies(track, engines);
    }
  }
  trace.landings_derived = trace.landings_derived || !engines.empty();
  std::move(engines.begin(), engines.end(), std::back_inserter(trace.tracks));
}

/// Multiplies whose operands lie in no named stage: the stage that their warps have waited for.
void name_multiplies(Trace& trace) {
  std::unordered_map<std::uint64_t, const Track*> warps;
  for (const Track& track : trace.tracks) {
    if (track.engine == Engine::warp) {
      warps[key_of(track.cta, track.warp)] = &track;
    }
  }
  for (Track& track : trace.tracks) {
    if (track.engine != Engine::tensor) {
      continue;
    }
    const auto warp = warps.find(key_of(track.cta, track.warp));
    if (warp == warps.end()) {
      continue;
    }
    const auto& of_warp = warp->second->events;
    std::size_t next = 0;
    std::uint16_t stage = no_stage;
    for (Event& event : track.events) {
      for (; next < of_warp.size() && of_warp[next].end <= event.begin; ++next) {
        if (of_warp[next].kind == Kind::wait) {
          stage = of_warp[next].stage;
        }
      }
      event.stage = event.stage == no_stage ? stage : event.stage;
    }
  }
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::wait:
      return "wait";
    case Kind::multiply_wait:
      return "multiply_wait";
    case Kind::store_wait:
      return "store_wait";
    case Kind::meet:
      return "meet";
    case Kind::copy_issue:
      return "copy_issue";
    case Kind::multiply_issue:
      return "multiply_issue";
    case Kind::release:
      return "release";
    case Kind::store_issue:
      return "store_issue";
    case Kind::epilogue:
      return "epilogue";
    case Kind::user:
      return "user";
    case Kind::copy:
      return "copy";
    case Kind::multiply:
      return "multiply";
    case Kind::store:
      return "store";
  }
  return "?";
}

void resolve(Trace& trace) {
  name_stages(trace, barriers_of(trace));
  derive_engines(trace);
  name_multiplies(trace);
  std::stable_sort(trace.tracks.begin(), trace.tracks.end(), [](const Track& a, const Track& b) {
    return std::tuple(a.sm, a.cta, a.engine, a.warp) < std::tuple(b.sm, b.cta, b.engine, b.warp);
  });
}

}  // namespace warpline::timeline
