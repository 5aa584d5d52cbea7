#include "timeline/shown.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpline::timeline {

namespace {

/// The time at which the CTA's events are too many.
std::uint64_t end_of_first(const Trace& trace, std::uint32_t cta, std::uint64_t most) {
  std::vector<std::uint64_t> ends;
  for (const Track& track : trace.tracks) {
    if (track.cta == cta) {
      for (const Event& event : track.events) {
        ends.push_back(event.end);
      }
    }
  }
  if (ends.size() <= most) {
    return ~std::uint64_t{0};
  }
  const auto at = ends.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(ends.begin(), at, ends.end());
  return *at;
}

}  // namespace

Trace shown_part(const Trace& trace, std::uint64_t most) {
  if (trace.events() <= most) {
    return trace;
  }
  std::map<std::uint32_t, std::uint64_t> counts;
  std::vector<std::uint32_t> order;
  for (const Track& track : trace.tracks) {
    if (!counts.contains(track.cta)) {
      order.push_back(track.cta);
    }
    counts[track.cta] += track.events.size();
  }
  std::set<std::uint32_t> taken;
  std::uint64_t sum = 0;
  for (const std::uint32_t cta : order) {
    sum += counts[cta];
    if (sum > most && !taken.empty()) {
      break;
    }
    taken.insert(cta);
  }
  const std::uint64_t end = end_of_first(trace, order.front(), most);
  Trace part{.kernel = trace.kernel,
             .target = trace.target,
             .unit = trace.unit,
             .cycles_per_microsecond = trace.cycles_per_microsecond,
             .landings_derived = trace.landings_derived,
             .names = trace.names,
             .dropped_ctas = trace.dropped_ctas};
  for (CtaSpan span : trace.ctas) {
    if (taken.contains(span.cta)) {
      span.end = std::min(span.end, end);
      part.ctas.push_back(span);
    }
  }
  for (const Track& track : trace.tracks) {
    if (!taken.contains(track.cta)) {
      continue;
    }
    Track copy = track;
    const auto first_late = std::find_if(copy.events.begin(), copy.events.end(),
                                         [&](const Event& event) { return event.end > end; });
    copy.events.erase(first_late, copy.events.end());
    part.tracks.push_back(std::move(copy));
  }
  return part;
}

}  // namespace warpline::timeline
