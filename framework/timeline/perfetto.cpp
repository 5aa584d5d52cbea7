// Chrome's trace event format, which Perfetto reads ("Trace Event Format", Google, 2016): a process
// for each multiprocessor, a thread for each warp and engine. Written event by event: a trace of
// ten million must not be held in memory twice.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "timeline/flows.h"
#include "timeline/labels.h"
#include "timeline/write.h"

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

/// Loads overlap, and slices of one thread must not: each goes to the first lane that is free.
std::vector<std::uint32_t> lanes_of(const Track& track) {
  std::vector<std::uint32_t> lanes;
  if (track.engine != Engine::copy) {
    return lanes;
  }
  std::vector<std::uint32_t> order(track.events.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return track.events[a].begin < track.events[b].begin;
  });
  lanes.resize(order.size());
  std::vector<std::uint64_t> free_at;
  for (const std::uint32_t i : order) {
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

class Writer {
 public:
  Writer(const Trace& trace, std::ostream& out) : trace_(trace), buffer_(out) {}

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
      for (std::size_t e = 0; e < trace_.tracks[t].events.size(); ++e) {
        event(t, e);
      }
    }
    std::uint64_t id = 0;
    for (const Flow& flow : flows_of(trace_)) {
      end_of_flow(flow, ++id);
    }
    buffer_.add("\n]}}\n");
  }

 private:
  double microseconds(std::uint64_t cycles) const {
    return static_cast<double>(cycles) / trace_.cycles_per_microsecond;
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
    buffer_.add(R"({}{{"name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.4f},)", separator(),
                label(event), to_string(event.kind), track.sm, thread(t, e),
                microseconds(event.begin));
    if (is_moment(event.kind) || (event.kind == Kind::user && event.begin == event.end)) {
      buffer_.add(R"("ph":"i","s":"t")");
    } else {
      buffer_.add(R"("ph":"X","dur":{:.4f})", microseconds(event.end - event.begin));
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

  /// Arrows start in the slice that was the cause and end where the wait ends.
  void end_of_flow(const Flow& flow, std::uint64_t id) {
    const Track& from = trace_.tracks[flow.from_track];
    const Track& to = trace_.tracks[flow.to_track];
    const Event& cause = from.events[flow.from_event];
    const Event& wait = to.events[flow.to_event];
    // Just before the ends: a slice does not contain its own.
    const double starts = std::max(microseconds(cause.begin), microseconds(cause.end) - 3e-4);
    const std::string name = trace_.names[wait.name].empty() ? "wait" : trace_.names[wait.name];
    buffer_.add(R"({}{{"ph":"s","id":{},"name":{},"cat":"flow","pid":{},"tid":{},"ts":{:.4f}}})",
                separator(), id, quoted(name), from.sm, thread(flow.from_track, flow.from_event),
                starts);
    buffer_.add(R"({}{{"ph":"f","bp":"e","id":{},"name":{},"cat":"flow","pid":{},"tid":{},)"
                R"("ts":{:.4f}}})",
                separator(), id, quoted(name), to.sm, thread(flow.to_track, flow.to_event),
                std::max(starts, microseconds(wait.end) - 1e-4));
  }

  const Trace& trace_;
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
