#include "timeline/bubbles.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace warpline::timeline {

namespace {

struct Interval {
  std::uint64_t begin;
  std::uint64_t end;
};

struct Cause {
  std::string kind;    ///< without stages and numbers: bubbles are summed by it
  std::string detail;  ///< with them
  std::uint32_t cta = 0;
};

std::uint64_t overlap(const Event& event, const Interval& with) {
  const std::uint64_t begin = std::max(event.begin, with.begin);
  const std::uint64_t end = std::min(event.end, with.end);
  return end > begin ? end - begin : 0;
}

bool occupies(Kind kind) {
  return kind == Kind::wait || kind == Kind::multiply_wait || kind == Kind::store_wait ||
         kind == Kind::meet || kind == Kind::epilogue || kind == Kind::user;
}

/// What a warp did for most of that time; null if nothing that was recorded.
const Event* longest_in(const Track& track, const Interval& time) {
  const auto& events = track.events;
  auto at = std::lower_bound(events.begin(), events.end(), time.begin,
                             [](const Event& e, std::uint64_t t) { return e.end <= t; });
  const Event* longest = nullptr;
  std::uint64_t most = 0;
  // Ends are in order, begins nearly so: spans hold at most a few others.
  for (int beyond = 0; at != events.end() && beyond < 4; ++at) {
    beyond += at->begin >= time.end ? 1 : 0;
    if (occupies(at->kind) && overlap(*at, time) > most) {
      most = overlap(*at, time);
      longest = &*at;
    }
  }
  return longest;
}

class Detective {
 public:
  explicit Detective(const Trace& trace) : trace_(trace) {
    for (const Track& track : trace.tracks) {
      of_sm_[track.sm].push_back(&track);
      of_cta_[track.cta].push_back(&track);
      if (track.engine == Engine::warp) {
        auto& first = first_warps_[key(track.cta, track.role)];
        first = std::min(first == 0 ? ~0u : first, track.warp + 1);
        auto& last = last_warps_[key(track.cta, track.role)];
        last = std::max(last, track.warp + 1);
        for (const Event& event : track.events) {
          if (event.kind == Kind::multiply_issue) {
            multiplies_.insert({&track, true});
            break;
          }
        }
      }
    }
  }

  Cause explain(std::uint32_t sm, const Interval& gap) const {
    const Track* who = nullptr;
    const Event* what = nullptr;
    for (const Track* track : of_sm_.at(sm)) {
      if (!multiplies_.contains(track) || track->events.back().end <= gap.begin ||
          track->events.front().begin >= gap.end) {
        continue;
      }
      const Event* candidate = longest_in(*track, gap);
      if (candidate != nullptr &&
          (what == nullptr || overlap(*candidate, gap) > overlap(*what, gap))) {
        who = track;
        what = candidate;
      }
    }
    if (what == nullptr || overlap(*what, gap) * 2 < gap.end - gap.begin) {
      return unexplained(sm, gap);
    }
    Cause cause{.kind = role(*who) + " ", .detail = name(*who) + " ", .cta = who->cta};
    const auto add = [&](const std::string& text) {
      cause.kind += text;
      cause.detail += text;
    };
    switch (what->kind) {
      case Kind::wait:
        cause.kind += "waits for " + trace_.names[what->name];
        cause.detail += "waits for " + place(*what);
        blame(*who, *what, cause);
        break;
      case Kind::multiply_wait:
        add("sees its multiply's end late");
        break;
      case Kind::store_wait:
        add("waits for a store buffer");
        break;
      case Kind::meet:
        add("waits for other warps at a barrier");
        break;
      case Kind::epilogue:
        add("rounds and stores its results, and nobody else multiplies");
        break;
      default:
        add("is in \"" + trace_.names[what->name] + "\"");
        break;
    }
    return cause;
  }

 private:
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(a) << 32 | b;
  }

  std::string role(const Track& track) const {
    return trace_.names[track.role].empty() ? "the kernel" : trace_.names[track.role];
  }

  /// "consumer 1": its second warpgroup, or warp if it has no warpgroups.
  std::string name(const Track& track) const {
    const std::uint32_t first = first_warps_.at(key(track.cta, track.role)) - 1;
    const std::uint32_t last = last_warps_.at(key(track.cta, track.role)) - 1;
    const std::uint32_t unit = last - first >= 3 ? 4 : 1;
    const std::uint32_t units = (last - first) / unit + 1;
    return role(track) + (units == 1 ? "" : " " + std::to_string((track.warp - first) / unit));
  }

  std::string place(const Event& event) const {
    return trace_.names[event.name] +
           (event.stage == no_stage ? "" : " stage " + std::to_string(event.stage));
  }

  Cause unexplained(std::uint32_t sm, const Interval& gap) const {
    bool before = false;
    bool after = false;
    for (const Track* track : of_sm_.at(sm)) {
      if (track->engine == Engine::tensor && !track->events.empty()) {
        before = before || track->events.front().begin < gap.end;
        after = after || track->events.back().end > gap.begin;
      }
    }
    const std::string text = !before  ? "the first CTA starts"
                             : !after ? "the last CTA ends"
                                      : "no multiplying warp is in a recorded event";
    return {.kind = text, .detail = text};
  }

  /// Who should have ended the wait earlier, and what it was doing.
  void blame(const Track& waiter, const Event& wait, Cause& cause) const {
    const Event* copy = nullptr;
    for (const Track* track : of_cta_.at(waiter.cta)) {
      if (track->engine == Engine::copy) {
        copy = last_copy(*track, wait);
      }
    }
    std::uint64_t acted = 0;
    const Track* who = nullptr;
    if (copy != nullptr) {
      const bool before = copy->begin <= wait.begin;
      const std::uint64_t apart = before ? wait.begin - copy->begin : copy->begin - wait.begin;
      if (before || apart * 2 < wait.end - wait.begin) {
        cause.kind += ": the load was under way";
        cause.detail += ": the load was under way, issued " + std::to_string(apart) + " cycles " +
                        (before ? "before" : "into the wait");
        return;
      }
      acted = copy->begin;
      who = actor(waiter.cta, Kind::copy_issue, wait.barrier, acted);
    } else {
      who = last_release(waiter.cta, wait, acted);
    }
    if (who == nullptr) {
      cause.kind += ": another CTA of the cluster was late";
      cause.detail += ": another CTA of the cluster was late";
      return;
    }
    const Event* doing = longest_in(*who, {wait.begin, acted});
    const std::string actor_role = who == &waiter ? "it" : "the " + role(*who);
    const std::string actor_name = who == &waiter ? "it" : "the " + name(*who);
    if (doing == nullptr || overlap(*doing, {wait.begin, acted}) * 2 < acted - wait.begin) {
      cause.kind += ": " + actor_role + " was late";
      cause.detail += ": " + actor_name + " was late";
    } else if (doing->kind == Kind::wait) {
      cause.kind += ": " + actor_role + " was waiting for " + trace_.names[doing->name];
      cause.detail += ": " + actor_name + " was waiting for " + place(*doing);
    } else {
      const std::string text = doing->kind == Kind::multiply_wait ? " was waiting for its multiply"
                               : doing->kind == Kind::store_wait  ? " was waiting for a store"
                               : doing->kind == Kind::meet        ? " was waiting at a barrier"
                               : doing->kind == Kind::epilogue
                                   ? " was in its epilogue"
                                   : " was in \"" + trace_.names[doing->name] + "\"";
      cause.kind += ": " + actor_role + text;
      cause.detail += ": " + actor_name + text;
    }
  }

  /// The load that completed the wait's barrier last.
  static const Event* last_copy(const Track& copies, const Event& wait) {
    const auto& events = copies.events;
    auto at = std::upper_bound(events.begin(), events.end(), wait.end,
                               [](std::uint64_t t, const Event& e) { return t < e.end; });
    while (at != events.begin()) {
      --at;
      if (at->kind == Kind::copy && at->barrier == wait.barrier) {
        return &*at;
      }
    }
    return nullptr;
  }

  const Track* actor(std::uint32_t cta, Kind kind, std::uint16_t barrier, std::uint64_t at) const {
    for (const Track* track : of_cta_.at(cta)) {
      if (track->engine != Engine::warp) {
        continue;
      }
      auto event = std::lower_bound(track->events.begin(), track->events.end(), at,
                                    [](const Event& e, std::uint64_t t) { return e.end < t; });
      for (; event != track->events.end() && event->end == at; ++event) {
        if (event->kind == kind && event->barrier == barrier) {
          return track;
        }
      }
    }
    return nullptr;
  }

  const Track* last_release(std::uint32_t cta, const Event& wait, std::uint64_t& when) const {
    const Track* who = nullptr;
    for (const Track* track : of_cta_.at(cta)) {
      if (track->engine != Engine::warp) {
        continue;
      }
      auto at = std::upper_bound(track->events.begin(), track->events.end(), wait.end,
                                 [](std::uint64_t t, const Event& e) { return t < e.end; });
      while (at != track->events.begin() && (at - 1)->end >= wait.begin) {
        --at;
        if (at->kind == Kind::release && at->barrier == wait.barrier && at->end >= when) {
          when = at->end;
          who = track;
          break;
        }
      }
    }
    return who;
  }

  const Trace& trace_;
  std::map<std::uint32_t, std::vector<const Track*>> of_sm_;
  std::map<std::uint32_t, std::vector<const Track*>> of_cta_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_warps_;
  std::unordered_map<std::uint64_t, std::uint32_t> last_warps_;
  std::unordered_map<const Track*, bool> multiplies_;
};

/// Times in which no multiply runs, from the multiprocessor's first CTA to its last one's end.
std::vector<Interval> gaps_of(const Trace& trace, std::uint32_t sm) {
  Interval all{~std::uint64_t{0}, 0};
  for (const CtaSpan& span : trace.ctas) {
    if (span.sm == sm) {
      all = {std::min(all.begin, span.begin), std::max(all.end, span.end)};
    }
  }
  std::vector<Interval> work;
  for (const Track& track : trace.tracks) {
    if (track.sm == sm && track.engine == Engine::tensor) {
      for (const Event& event : track.events) {
        work.push_back({event.begin, event.end});
      }
    }
  }
  std::vector<Interval> gaps;
  if (work.empty()) {
    return gaps;
  }
  std::sort(work.begin(), work.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::uint64_t at = all.begin;
  for (const Interval& piece : work) {
    if (piece.begin > at) {
      gaps.push_back({at, piece.begin});
    }
    at = std::max(at, piece.end);
  }
  if (all.end > at) {
    gaps.push_back({at, all.end});
  }
  return gaps;
}

double gain_without(std::uint64_t cycles, std::uint64_t elapsed) {
  return elapsed > cycles ? static_cast<double>(elapsed) / static_cast<double>(elapsed - cycles) - 1
                          : 0;
}

}  // namespace

void find_bubbles(const Trace& trace, std::uint64_t elapsed, Summary& summary) {
  const Detective detective(trace);
  std::map<std::uint32_t, bool> sms;
  for (const Track& track : trace.tracks) {
    sms[track.sm] = true;
  }
  std::map<std::string, BubbleKind> causes;
  for (const auto& [sm, present] : sms) {
    for (const Interval& gap : gaps_of(trace, sm)) {
      const Cause cause = detective.explain(sm, gap);
      const std::uint64_t cycles = gap.end - gap.begin;
      BubbleKind& kind = causes[cause.kind];
      kind.cause = cause.kind;
      kind.count += 1;
      kind.cycles += cycles;
      // Start and end are no bubbles: nothing could fill them.
      const bool inside = cause.kind != "the first CTA starts" && cause.kind != "the last CTA ends";
      if (inside && cycles > summary.longest.cycles) {
        summary.has_bubble = true;
        summary.longest = {.sm = sm,
                           .cta = cause.cta,
                           .begin = gap.begin,
                           .cycles = cycles,
                           .cause = cause.detail,
                           .gain = gain_without(cycles, elapsed)};
      }
    }
  }
  for (auto& [text, kind] : causes) {
    kind.share = static_cast<double>(kind.cycles) / static_cast<double>(elapsed);
    kind.gain = gain_without(kind.cycles, elapsed);
    summary.bubbles.push_back(kind);
  }
  std::stable_sort(summary.bubbles.begin(), summary.bubbles.end(),
                   [](const BubbleKind& a, const BubbleKind& b) { return a.cycles > b.cycles; });
}

}  // namespace warpline::timeline
