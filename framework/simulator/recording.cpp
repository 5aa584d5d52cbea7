#include "simulator/recording.h"

#include <algorithm>
#include <utility>

namespace warpline::simulator {

using timeline::Engine;
using timeline::Event;
using timeline::Kind;
using timeline::Trace;
using timeline::Track;

namespace {

/// What a warp does with all its lanes, and does nothing else meanwhile.
bool is_wait(Kind kind) {
  return kind == Kind::wait || kind == Kind::multiply_wait || kind == Kind::store_wait ||
         kind == Kind::meet;
}

}  // namespace

Trace TimelineRecording::take() {
  const auto key = [](const Track& track) {
    return std::tuple(track.sm, track.cta, track.engine, track.warp);
  };
  std::sort(trace_.tracks.begin(), trace_.tracks.end(),
            [&](const Track& a, const Track& b) { return key(a) < key(b); });
  for (const Track& track : trace_.tracks) {
    // A CTA that did not come to its end lasted as long as anybody saw it.
    timeline::CtaSpan& span = trace_.ctas[ctas_.at(track.cta)];
    if (!track.events.empty()) {
      span.end = std::max(span.end, track.events.back().end);
    }
  }
  tracks_.clear();
  ctas_.clear();
  names_.clear();
  return std::exchange(trace_, Trace{});
}

void TimelineRecording::begin(const std::string& kernel, bool timed) {
  take();
  trace_.kernel = kernel;
  trace_.target = "simulator";
  trace_.unit = timed ? "virtual cycles" : "scheduler steps";
}

void TimelineRecording::cta_began(std::uint32_t cta, std::uint32_t sm, std::uint64_t at) {
  if (wants(cta)) {
    ctas_.emplace(cta, trace_.ctas.size());
    trace_.ctas.push_back({.cta = cta, .sm = sm, .begin = at, .end = at});
  }
}

void TimelineRecording::cta_ended(std::uint32_t cta, std::uint64_t at) {
  if (wants(cta)) {
    trace_.ctas[ctas_.at(cta)].end = at;
  }
}

void TimelineRecording::warp_ended(std::uint32_t cta, std::uint32_t warp) {
  if (wants(cta)) {
    track(Engine::warp, cta, warp).cut = false;
  }
}

void TimelineRecording::role(std::uint32_t cta, std::uint32_t warp, const char* role) {
  if (wants(cta)) {
    track(Engine::warp, cta, warp).role = name(role);
  }
}

std::uint32_t TimelineRecording::name(const std::string& text) {
  const auto [found, fresh] =
      names_.try_emplace(text, static_cast<std::uint32_t>(trace_.names.size()));
  if (fresh) {
    trace_.names.push_back(text);
  }
  return found->second;
}

void TimelineRecording::add(Engine engine, std::uint32_t cta, std::uint32_t warp,
                            const Event& event) {
  if (!wants(cta)) {
    return;
  }
  Track& to = track(engine, cta, warp);
  if (event.kind == Kind::multiply && !to.events.empty()) {
    // The instructions of one multiply are one piece of work.
    Event& last = to.events.back();
    if (last.end == event.begin && last.stage == event.stage && last.name == event.name) {
      last.end = event.end;
      last.amount += event.amount;
      return;
    }
  }
  if (to.events.size() >= limits_.events_per_track) {
    ++to.dropped;
    return;
  }
  to.events.push_back(event);
  if (engine == Engine::warp && is_wait(event.kind) && to.events.size() > 1) {
    // The lane that speaks may have waited already while another one was still issuing.
    Event& wait = to.events.back();
    wait.begin = std::max(wait.begin, std::min(wait.end, to.events.end()[-2].end));
  }
}

Track& TimelineRecording::track(Engine engine, std::uint32_t cta, std::uint32_t warp) {
  const std::uint64_t key =
      static_cast<std::uint64_t>(cta) << 16 | static_cast<std::uint64_t>(engine) << 8 | warp;
  const auto [found, fresh] = tracks_.try_emplace(key, trace_.tracks.size());
  if (fresh) {
    trace_.tracks.push_back({.engine = engine,
                             .sm = trace_.ctas[ctas_.at(cta)].sm,
                             .cta = cta,
                             .warp = warp,
                             .cut = engine == Engine::warp});
  }
  return trace_.tracks[found->second];
}

}  // namespace warpline::simulator
