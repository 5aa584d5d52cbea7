// Chrome's trace event format, which Perfetto reads ("Trace Event Format", Google, 2016): a process
// for each multiprocessor, a thread for each warp and engine. Written event by event: a trace of
// ten million must not be held in memory twice.
//
// The format says less than its reader does. Perfetto (src/trace_processor, importers/json and
// slice_tracker) rounds ts and dur to nanoseconds, each for itself; takes the slices of a thread in
// the order of ts, of equal ones in the file's; asks that they nest; and hangs an arrow's end on
// the innermost slice that has begun by then, in the same order. So times are written in whole
// nanoseconds, which a cycle is not, and a duration is the difference of two of them; outer slices
// come before inner ones, but moments, which are slices without length, before what begins with
// them; and an arrow's end follows its slice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "timeline/flows.h"
#include "timeline/labels.h"
#include "timeline/write.h"

namespace warpline::timeline {

namespace {

/// Written with three decimals.
struct Microseconds {
  std::int64_t nanoseconds;
};

}  // namespace

}  // namespace warpline::timeline

template <>
struct fmt::formatter<warpline::timeline::Microseconds> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const warpline::timeline::Microseconds& time, Context& context) const {
    return fmt::format_to(context.out(), "{}.{:03}", time.nanoseconds / 1000,
                          time.nanoseconds % 1000);
  }
};

namespace warpline::timeline {

namespace {

/// Text that goes out in pieces of a megabyte.
class Buffer {
 public:
  explicit Buffer(std::ostream& out) : out_(out) {}
  ~Buffer() { flush(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    if (text_.size() > 1 << 20) {
      flush();
    }
  }

  bool failed() const { return !out_; }

 private:
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  fmt::memory_buffer text_;
};

std::string quoted(const std::string& text) {
  // Names come from kernels: whatever is no UTF-8 is replaced.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_moment(Kind kind) {
  return kind == Kind::copy_issue || kind == Kind::multiply_issue || kind == Kind::store_issue;
}

/// By begin. Of equal ones, moments first: they have ended; then what lasts longer.
std::vector<std::uint32_t> outer_first(const std::vector<Event>& events) {
  std::vector<std::uint32_t> order(events.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto key = [&](std::uint32_t i) {
    const Event& event = events[i];
    return std::make_tuple(event.begin, event.end != event.begin, ~event.end);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

/// Loads overlap, and slices of one thread must not: each goes to the first lane that is free.
std::vector<std::uint32_t> lanes_of(const Track& track) {
  std::vector<std::uint32_t> lanes;
  if (track.engine != Engine::copy) {
    return lanes;
  }
  lanes.resize(track.events.size());
  std::vector<std::uint64_t> free_at;
  for (const std::uint32_t i : outer_first(track.events)) {
    const Event& event = track.events[i];
    auto lane = std::find_if(free_at.begin(), free_at.end(),
                             [&](std::uint64_t at) { return at <= event.begin; });
    if (lane == free_at.end()) {
      lane = free_at.insert(lane, 0);
    }
    *lane = event.end;
    lanes[i] = static_cast<std::uint32_t>(lane - free_at.begin());
  }
  return lanes;
}

/// Flows by either end.
class Arrows {
 public:
  explicit Arrows(const Trace& trace) : flows_(flows_of(trace)), by_cause_(flows_.size()) {
    for (std::uint32_t i = 0; i < by_cause_.size(); ++i) {
      by_cause_[i] = i;
    }
    std::sort(by_cause_.begin(), by_cause_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return std::make_tuple(cause(flows_[a]), a) < std::make_tuple(cause(flows_[b]), b);
    });
  }

  template <class Each>
  void from(std::size_t track, std::size_t event, const Each& each) const {
    const auto key = std::make_pair(track, event);
    auto at = std::lower_bound(
        by_cause_.begin(), by_cause_.end(), key,
        [this](std::uint32_t i, const auto& wanted) { return cause(flows_[i]) < wanted; });
    for (; at != by_cause_.end() && cause(flows_[*at]) == key; ++at) {
      each(flows_[*at], *at);
    }
  }
  template <class Each>
  void to(std::size_t track, std::size_t event, const Each& each) const {
    const auto key = std::make_pair(track, event);
    const auto at = std::lower_bound(  // flows_of goes through the waits in this order
        flows_.begin(), flows_.end(), key,
        [](const Flow& flow, const auto& wanted) { return wait(flow) < wanted; });
    if (at != flows_.end() && wait(*at) == key) {
      each(*at, static_cast<std::size_t>(at - flows_.begin()));
    }
  }

 private:
  static std::pair<std::size_t, std::size_t> cause(const Flow& flow) {
    return {flow.from_track, flow.from_event};
  }
  static std::pair<std::size_t, std::size_t> wait(const Flow& flow) {
    return {flow.to_track, flow.to_event};
  }

  std::vector<Flow> flows_;
  std::vector<std::uint32_t> by_cause_;
};

class Writer {
 public:
  Writer(const Trace& trace, std::ostream& out) : trace_(trace), arrows_(trace), buffer_(out) {}

  void write(const Summary& summary) {
    buffer_.add(R"({{"displayTimeUnit":"ns","otherData":{{"summary":{}}},"traceEvents":[)",
                to_json(summary));
    for (const Track& track : trace_.tracks) {
      first_thread_.push_back(threads_);
      lanes_.push_back(lanes_of(track));
      const auto& lanes = lanes_.back();
      const std::uint32_t count =
          lanes.empty() ? 1 : *std::max_element(lanes.begin(), lanes.end()) + 1;
      name_threads(track, count);
      threads_ += count;
    }
    for (std::size_t t = 0; t < trace_.tracks.size() && !buffer_.failed(); ++t) {
      for (const std::uint32_t e : outer_first(trace_.tracks[t].events)) {
        event(t, e);
        arrows_.from(t, e, [&](const Flow& flow, std::size_t id) { start(flow, id); });
        arrows_.to(t, e, [&](const Flow& flow, std::size_t id) { finish(flow, id); });
      }
    }
    buffer_.add("\n]}}\n");
  }

 private:
  std::int64_t nanoseconds(std::uint64_t cycles) const {
    return std::llround(static_cast<double>(cycles) * 1000 / trace_.cycles_per_microsecond);
  }
  const char* separator() {
    const char* text = first_ ? "\n" : ",\n";
    first_ = false;
    return text;
  }

  std::uint64_t thread(std::size_t track, std::size_t event) const {
    return first_thread_[track] + (lanes_[track].empty() ? 0 : lanes_[track][event]) + 1;
  }

  void name_threads(const Track& track, std::uint32_t count) {
    if (processes_.insert({track.sm, true}).second) {
      buffer_.add(R"({}{{"ph":"M","name":"process_name","pid":{},"args":{{"name":"SM {}"}}}})",
                  separator(), track.sm, track.sm);
    }
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      const std::string text = fmt::format("CTA {}: {}{}", track.cta, label_of(trace_, track),
                                           count == 1 ? "" : fmt::format(", {}", lane));
      const std::uint64_t id = threads_ + lane + 1;
      buffer_.add(R"({}{{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                  separator(), track.sm, id, quoted(text));
      buffer_.add(R"({}{{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{)"
                  R"("sort_index":{}}}}})",
                  separator(), track.sm, id, id);
    }
  }

  const std::string& label(const Event& event) {
    const std::uint64_t key = static_cast<std::uint64_t>(event.name) << 32 |
                              static_cast<std::uint64_t>(event.stage) << 8 |
                              static_cast<std::uint64_t>(event.kind);
    const auto [found, fresh] = labels_.try_emplace(key);
    if (fresh) {
      found->second = quoted(label_of(trace_, event));
    }
    return found->second;
  }

  void event(std::size_t t, std::size_t e) {
    const Track& track = trace_.tracks[t];
    const Event& event = track.events[e];
    buffer_.add("{}{{\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},", separator(),
                label(event), to_string(event.kind), track.sm, thread(t, e),
                Microseconds{nanoseconds(event.begin)});
    if (is_moment(event.kind) || (event.kind == Kind::user && event.begin == event.end)) {
      buffer_.add(R"("ph":"i","s":"t")");
    } else {
      buffer_.add("\"ph\":\"X\",\"dur\":{}",
                  Microseconds{nanoseconds(event.end) - nanoseconds(event.begin)});
    }
    buffer_.add(R"(,"args":{{"cycles":{},"at":{})", event.end - event.begin, event.begin);
    if (event.kind == Kind::multiply_wait) {
      buffer_.add(R"(,"pending":{})", event.stage == no_stage ? 0 : event.stage);
    } else if (event.stage != no_stage) {
      buffer_.add(R"(,"stage":{})", event.stage);
    }
    if (event.amount != 0) {
      const bool cycles = event.kind == Kind::multiply || event.kind == Kind::multiply_issue;
      buffer_.add(R"(,"{}":{})", cycles ? "cycles_at_full_rate" : "bytes", event.amount);
    }
    buffer_.add("}}}}");
  }

  /// Arrows start in the slice that was the cause: in time before they end, where both end at once.
  std::int64_t start_of(const Flow& flow) const {
    const Event& cause = trace_.tracks[flow.from_track].events[flow.from_event];
    return std::max(nanoseconds(cause.begin), nanoseconds(cause.end) - 2);
  }
  void start(const Flow& flow, std::size_t id) {
    end_of_arrow("\"ph\":\"s\"", flow, id, flow.from_track, flow.from_event, start_of(flow));
  }
  /// They end in the last nanosecond of the wait, but after their start.
  void finish(const Flow& flow, std::size_t id) {
    const Event& wait = trace_.tracks[flow.to_track].events[flow.to_event];
    const std::int64_t at =
        std::max({nanoseconds(wait.begin), nanoseconds(wait.end) - 1, start_of(flow) + 1});
    end_of_arrow("\"ph\":\"f\",\"bp\":\"e\"", flow, id, flow.to_track, flow.to_event, at);
  }
  void end_of_arrow(const char* phase, const Flow& flow, std::size_t id, std::size_t track,
                    std::size_t event, std::int64_t at) {
    const std::string& name = trace_.names[trace_.tracks[flow.to_track].events[flow.to_event].name];
    buffer_.add("{}{{{},\"id\":{},\"name\":{},\"cat\":\"flow\",\"pid\":{},\"tid\":{},\"ts\":{}}}",
                separator(), phase, id + 1, quoted(name.empty() ? "wait" : name),
                trace_.tracks[track].sm, thread(track, event), Microseconds{at});
  }

  const Trace& trace_;
  Arrows arrows_;
  Buffer buffer_;
  bool first_ = true;
  std::uint64_t threads_ = 0;
  std::vector<std::uint64_t> first_thread_;
  std::vector<std::vector<std::uint32_t>> lanes_;
  std::unordered_map<std::uint32_t, bool> processes_;
  std::unordered_map<std::uint64_t, std::string> labels_;
};

}  // namespace

void write_perfetto(const Trace& trace, const Summary& summary, std::ostream& out) {
  Writer(trace, out).write(summary);
}

}  // namespace warpline::timeline
