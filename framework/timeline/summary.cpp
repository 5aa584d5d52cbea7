#include "timeline/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "timeline/bubbles.h"

namespace warpline::timeline {

namespace {

bool is_wait(Kind kind) {
  return kind == Kind::wait || kind == Kind::multiply_wait || kind == Kind::store_wait ||
         kind == Kind::meet;
}

void sum_roles(const Trace& trace, Summary& summary) {
  std::map<std::uint32_t, std::uint64_t> lengths;
  for (const CtaSpan& span : trace.ctas) {
    lengths[span.cta] = span.end - span.begin;
  }
  std::map<std::uint32_t, RoleSummary> roles;
  std::map<std::tuple<std::uint32_t, Kind, std::uint32_t>, Share> shares;
  for (const Track& track : trace.tracks) {
    if (track.engine != Engine::warp || track.events.empty()) {
      continue;
    }
    RoleSummary& role = roles[track.role];
    role.warps += 1;
    role.cycles += lengths[track.cta];
    // Backwards: a span comes after those inside it (the barrier inside the wait for a store),
    // whose time is not counted twice. A user's span may hold anything and is counted beside.
    std::uint64_t counted_from = ~std::uint64_t{0};
    for (auto event = track.events.rbegin(); event != track.events.rend(); ++event) {
      Share& share = shares[{track.role, event->kind, event->name}];
      share.count += 1;
      if (event->kind == Kind::user) {
        share.cycles += event->end - event->begin;
      } else if (event->begin < counted_from) {
        share.cycles += std::min(event->end, counted_from) - event->begin;
        counted_from = event->begin;
      }
    }
  }
  for (auto& [key, share] : shares) {
    RoleSummary& role = roles[std::get<0>(key)];
    share.kind = std::get<1>(key);
    share.name = trace.names[std::get<2>(key)];
    share.share =
        role.cycles == 0 ? 0 : static_cast<double>(share.cycles) / static_cast<double>(role.cycles);
    if (is_wait(share.kind)) {
      role.waiting += share.cycles;
    }
    role.shares.push_back(share);
  }
  for (auto& [name, role] : roles) {
    role.role = trace.names[name].empty() ? "kernel" : trace.names[name];
    role.waiting_share =
        role.cycles == 0 ? 0 : static_cast<double>(role.waiting) / static_cast<double>(role.cycles);
    std::stable_sort(role.shares.begin(), role.shares.end(),
                     [](const Share& a, const Share& b) { return a.cycles > b.cycles; });
    summary.roles.push_back(std::move(role));
  }
}

/// Sum over multiprocessors of the time between their first CTA's begin and their last one's end.
std::uint64_t elapsed_of(const Trace& trace, Summary& summary) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> sms;
  for (const CtaSpan& span : trace.ctas) {
    auto [at, fresh] = sms.try_emplace(span.sm, span.begin, span.end);
    at->second = {std::min(at->second.first, span.begin), std::max(at->second.second, span.end)};
  }
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  std::uint64_t elapsed = 0;
  for (const auto& [sm, span] : sms) {
    first = std::min(first, span.first);
    last = std::max(last, span.second);
    elapsed += span.second - span.first;
  }
  summary.multiprocessors = sms.size();
  summary.cycles = sms.empty() ? 0 : last - first;
  return elapsed;
}

std::string text_of(const Share& share) {
  switch (share.kind) {
    case Kind::wait:
      return "waits for " + share.name;
    case Kind::multiply_wait:
      return "waits for its multiplies";
    case Kind::store_wait:
      return "waits for stores (" + share.name + ")";
    case Kind::meet:
      return "waits at the barrier of its " + share.name;
    case Kind::epilogue:
      return "epilogue (" + share.name + ")";
    default:
      return '"' + share.name + '"';
  }
}

}  // namespace

Summary summarize(const Trace& trace) {
  Summary summary;
  summary.kernel = trace.kernel;
  summary.target = trace.target;
  summary.unit = trace.unit;
  summary.ctas = trace.ctas.size();
  summary.events = trace.events();
  summary.dropped = trace.dropped();
  summary.dropped_ctas = trace.dropped_ctas;
  summary.landings_derived = trace.landings_derived;
  const std::uint64_t elapsed = elapsed_of(trace, summary);
  summary.microseconds = static_cast<double>(summary.cycles) / trace.cycles_per_microsecond;
  std::uint64_t busy = 0;
  for (const Track& track : trace.tracks) {
    summary.cut_warps += track.cut ? 1 : 0;
    if (track.engine == Engine::tensor) {
      for (const Event& event : track.events) {
        busy += event.amount;
      }
    }
  }
  sum_roles(trace, summary);
  if (elapsed != 0) {
    summary.tensor_busy_share = static_cast<double>(busy) / static_cast<double>(elapsed);
    find_bubbles(trace, elapsed, summary);
  }
  return summary;
}

std::string to_text(const Summary& s) {
  std::string text = fmt::format("timeline of {} on the {}: ", s.kernel, s.target);
  if (s.events == 0) {
    return text + "nothing was recorded\n";
  }
  text += fmt::format("{} {} ({:.1f} us), {} CTAs on {} SMs, {} events\n", s.cycles, s.unit,
                      s.microseconds, s.ctas, s.multiprocessors, s.events);
  text += fmt::format("  tensor cores busy {:.1f} % of the time\n", s.tensor_busy_share * 100);
  for (const RoleSummary& role : s.roles) {
    text += fmt::format("  {} waits {:.1f} % of its time\n", role.role, role.waiting_share * 100);
    for (const Share& share : role.shares) {
      if (share.cycles != 0) {
        text += fmt::format("    {:5.1f} %  {}\n", share.share * 100, text_of(share));
      }
    }
  }
  if (s.has_bubble) {
    text += fmt::format("  longest bubble: {} {} on SM {}, CTA {}\n    {}\n", s.longest.cycles,
                        s.unit, s.longest.sm, s.longest.cta, s.longest.cause);
    text += "  without all bubbles of a cause, it would be faster by\n";
    for (const BubbleKind& kind : s.bubbles) {
      text += fmt::format("    {:5.1f} %  {} (x {})\n", kind.gain * 100, kind.cause, kind.count);
    }
  }
  if (s.dropped != 0 || s.dropped_ctas != 0) {
    text +=
        fmt::format("  incomplete: no room for {} events and {} CTAs\n", s.dropped, s.dropped_ctas);
  }
  if (s.cut_warps != 0) {
    text += fmt::format("  incomplete: {} warps did not reach their end\n", s.cut_warps);
  }
  if (s.landings_derived) {
    text += "  when a load landed and a multiply was done is derived from the waits for it\n";
  }
  return text;
}

std::string to_json(const Summary& s) {
  nlohmann::ordered_json json{{"kernel", s.kernel},
                              {"target", s.target},
                              {"unit", s.unit},
                              {"cycles", s.cycles},
                              {"microseconds", s.microseconds},
                              {"multiprocessors", s.multiprocessors},
                              {"ctas", s.ctas},
                              {"events", s.events},
                              {"dropped_events", s.dropped},
                              {"dropped_ctas", s.dropped_ctas},
                              {"cut_warps", s.cut_warps},
                              {"landings_derived", s.landings_derived},
                              {"tensor_busy_share", s.tensor_busy_share}};
  json["roles"] = nlohmann::ordered_json::array();
  for (const RoleSummary& role : s.roles) {
    nlohmann::ordered_json shares = nlohmann::ordered_json::array();
    for (const Share& share : role.shares) {
      shares.push_back({{"kind", to_string(share.kind)},
                        {"name", share.name},
                        {"cycles", share.cycles},
                        {"count", share.count},
                        {"share", share.share}});
    }
    json["roles"].push_back({{"role", role.role},
                             {"warps", role.warps},
                             {"cycles", role.cycles},
                             {"waiting_cycles", role.waiting},
                             {"waiting_share", role.waiting_share},
                             {"shares", std::move(shares)}});
  }
  json["longest_bubble"] = nullptr;
  if (s.has_bubble) {
    json["longest_bubble"] = {{"sm", s.longest.sm},       {"cta", s.longest.cta},
                              {"begin", s.longest.begin}, {"cycles", s.longest.cycles},
                              {"cause", s.longest.cause}, {"predicted_gain", s.longest.gain}};
  }
  json["bubbles"] = nlohmann::ordered_json::array();
  for (const BubbleKind& kind : s.bubbles) {
    json["bubbles"].push_back({{"cause", kind.cause},
                               {"count", kind.count},
                               {"cycles", kind.cycles},
                               {"share", kind.share},
                               {"predicted_gain", kind.gain}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace warpline::timeline
