#include "timeline/decode.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace warpline::timeline {

namespace {

bool is_moment(Kind kind) {
  return kind == Kind::copy_issue || kind == Kind::multiply_issue || kind == Kind::release ||
         kind == Kind::store_issue;
}

/// The warps of one CTA, from the first one's begin to the last one's end.
struct Cta {
  RawTime begin;
  RawTime end;
  std::vector<const RawWarp*> warps;

  std::uint32_t sm() const { return warps.front()->sm; }
};

/// Those of which all warps are there, by their index.
std::vector<Cta> ctas_of(const std::vector<RawWarp>& warps) {
  std::map<std::uint32_t, Cta> found;
  for (const RawWarp& warp : warps) {
    Cta& cta = found[warp.cta];
    if (cta.warps.empty() || warp.begin.clock < cta.begin.clock) {
      cta.begin = warp.begin;
    }
    if (warp.end.clock > cta.end.clock) {
      cta.end = warp.end;
    }
    cta.warps.push_back(&warp);
  }
  std::vector<Cta> complete;
  for (auto& [index, cta] : found) {
    if (cta.warps.size() == cta.warps.front()->warps) {
      std::sort(cta.warps.begin(), cta.warps.end(),
                [](const RawWarp* a, const RawWarp* b) { return a->warp < b->warp; });
      complete.push_back(std::move(cta));
    }
  }
  return complete;
}

/// Cycles per nanosecond over all CTAs that ended; a usual clock if none did.
double frequency_of(const std::vector<Cta>& ctas) {
  double cycles = 0;
  double nanoseconds = 0;
  for (const Cta& cta : ctas) {
    if (cta.end.clock > cta.begin.clock && cta.end.nanoseconds > cta.begin.nanoseconds) {
      cycles += static_cast<double>(cta.end.clock - cta.begin.clock);
      nanoseconds += static_cast<double>(cta.end.nanoseconds - cta.begin.nanoseconds);
    }
  }
  return nanoseconds > 0 ? cycles / nanoseconds : 1.755;
}

/// What to add to each SM's clock so that all have the same origin.
std::map<std::uint32_t, std::int64_t> offsets_of(const std::vector<Cta>& ctas, double frequency) {
  std::uint64_t origin = ~std::uint64_t{0};
  for (const Cta& cta : ctas) {
    origin = std::min(origin, cta.begin.nanoseconds);
  }
  std::map<std::uint32_t, std::vector<std::int64_t>> seen;
  for (const Cta& cta : ctas) {
    const auto add = [&](const RawTime& time) {
      const double since = static_cast<double>(time.nanoseconds - origin) * frequency;
      seen[cta.sm()].push_back(std::llround(since) - static_cast<std::int64_t>(time.clock));
    };
    add(cta.begin);
    if (cta.end.clock != 0) {
      add(cta.end);
    }
  }
  std::map<std::uint32_t, std::int64_t> offsets;
  for (auto& [sm, all] : seen) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    offsets[sm] = *middle;
  }
  return offsets;
}

class Decoder {
 public:
  Decoder(Trace& trace, const std::function<std::string(std::uint64_t)>& name_at)
      : trace_(trace), name_at_(name_at) {}

  std::uint32_t name(std::uint64_t address) {
    const auto [found, fresh] = names_.try_emplace(address, 0);
    if (fresh) {
      found->second = trace_.name(name_at_(address));
    }
    return found->second;
  }

  /// A name whose low half is known, and the address of another one of the same kernel.
  std::uint32_t near_name(std::uint64_t anchor, std::uint32_t low) {
    const auto distance = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(anchor));
    return name(anchor + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance)));
  }

  /// `clock` is the warp's clock so far: records hold low halves, and come in order.
  Event event(const RawWarp& warp, const RawRecord& record, std::uint64_t& clock,
              std::int64_t offset) {
    const auto kind = static_cast<Kind>(std::min(record.what & 15, kinds - 1u));
    const std::uint32_t stage = record.what >> 19 & 255;
    const bool moment = is_moment(kind);
    const std::uint32_t ended = moment ? record.begin : record.second;
    clock += ended - static_cast<std::uint32_t>(clock);
    const std::uint64_t end = clock + static_cast<std::uint64_t>(offset);
    return {.begin = moment ? end : end - (record.second - record.begin),
            .end = end,
            .amount = moment ? record.second : 0,
            .name = near_name(warp.anchor, record.name),
            .stage = stage == 255 ? no_stage : static_cast<std::uint16_t>(stage),
            .barrier = static_cast<std::uint16_t>(record.what >> 4 & 0x7fff),
            .kind = kind};
  }

 private:
  Trace& trace_;
  const std::function<std::string(std::uint64_t)>& name_at_;
  std::unordered_map<std::uint64_t, std::uint32_t> names_;
};

void decode_warp(const RawWarp& warp, std::int64_t offset, Decoder& decoder, Trace& trace) {
  Track track{.sm = warp.sm, .cta = warp.cta, .warp = warp.warp, .cut = !warp.ended()};
  std::uint64_t clock = warp.begin.clock;
  std::uint64_t seen = 0;
  for (const RawRecord& record : warp.records) {
    if (warp.ended() ? seen == warp.count : record.begin == 0 && record.name == 0) {
      break;
    }
    ++seen;
    if ((record.what & 15) == static_cast<std::uint32_t>(raw_role)) {
      track.role = decoder.near_name(warp.anchor, record.name);
    } else {
      track.events.push_back(decoder.event(warp, record, clock, offset));
    }
  }
  if (warp.ended()) {
    track.dropped = warp.count - seen;
  }
  trace.tracks.push_back(std::move(track));
}

}  // namespace

Trace decode(const std::string& kernel, const std::vector<RawWarp>& warps, std::uint32_t asked,
             const std::function<std::string(std::uint64_t)>& name_at) {
  Trace trace;
  trace.kernel = kernel;
  trace.target = "gpu";
  trace.unit = "SM cycles";
  const std::vector<Cta> ctas = ctas_of(warps);
  if (!warps.empty()) {
    const std::uint32_t each = warps.front().warps;
    trace.dropped_ctas = (asked + each - 1) / each - ctas.size();
  }
  const double frequency = frequency_of(ctas);
  trace.cycles_per_microsecond = frequency * 1000;
  auto offsets = offsets_of(ctas, frequency);
  // No CTA begins before time 0.
  std::int64_t earliest = 0;
  for (const Cta& cta : ctas) {
    earliest =
        std::min(earliest, static_cast<std::int64_t>(cta.begin.clock) + offsets.at(cta.sm()));
  }
  Decoder decoder(trace, name_at);
  for (const Cta& cta : ctas) {
    const std::int64_t offset = offsets.at(cta.sm()) - earliest;
    CtaSpan span{
        .cta = cta.warps.front()->cta,
        .sm = cta.sm(),
        .begin = cta.begin.clock + static_cast<std::uint64_t>(offset),
        .end = std::max(cta.begin.clock, cta.end.clock) + static_cast<std::uint64_t>(offset)};
    for (const RawWarp* const warp : cta.warps) {
      decode_warp(*warp, offset, decoder, trace);
      const auto& events = trace.tracks.back().events;
      span.end = events.empty() ? span.end : std::max(span.end, events.back().end);
    }
    trace.ctas.push_back(span);
  }
  return trace;
}

}  // namespace warpline::timeline
