// A picture for documents: a few CTAs of one multiprocessor, a part of the time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "timeline/flows.h"
#include "timeline/labels.h"
#include "timeline/write.h"

namespace warpline::timeline {

namespace {

constexpr int width = 960;
constexpr int label_width = 170;
constexpr int row_height = 20;
constexpr int top = 44;

/// Light and dark, as the reader's device asks for. The same colours as the page's.
constexpr const char* style = R"(<style>
svg { --ground: #ffffff; --text: #1b1f24; --faint: #5b6470; --line: #d5dae0;
  --full: #d9480f; --empty: #e8a200; --other: #8a6d3b; --multiply-wait: #c2255c;
  --store-wait: #0c8599; --meet: #868e96; --copy: #1c7ed6; --multiply: #2b8a3e;
  --epilogue: #7048e8; --store: #15aabf; --user: #c2419b; --moment: #343a40; }
@media (prefers-color-scheme: dark) {
svg { --ground: #15181c; --text: #e6e9ed; --faint: #a1abb6; --line: #363c44;
  --full: #ff922b; --empty: #ffd43b; --other: #c7a76c; --multiply-wait: #f783ac;
  --store-wait: #3bc9db; --meet: #909aa5; --copy: #4dabf7; --multiply: #51cf66;
  --epilogue: #9775fa; --store: #66d9e8; --user: #f06cc8; --moment: #ced4da; } }
text { font: 12px system-ui, sans-serif; fill: var(--text); }
.faint { fill: var(--faint); } .in { fill: var(--ground); }
.on-empty { fill: #1b1f24; }
</style>
)";

std::string colour_of(const Trace& trace, const Event& event) {
  switch (event.kind) {
    case Kind::wait: {
      const std::string& name = trace.names[event.name];
      return name == "full" || name == "loaded" ? "full" : name == "empty" ? "empty" : "other";
    }
    case Kind::multiply_wait:
      return "multiply-wait";
    case Kind::store_wait:
      return "store-wait";
    case Kind::meet:
      return "meet";
    case Kind::copy:
      return "copy";
    case Kind::multiply:
      return "multiply";
    case Kind::store:
      return "store";
    case Kind::epilogue:
      return "epilogue";
    case Kind::user:
      return "user";
    default:
      return "moment";
  }
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += '?';  // control characters and broken UTF-8 are no XML
    }
  }
  return result;
}

struct Window {
  std::uint64_t from = 0;
  std::uint64_t to = 1;
};

/// Some turns of the ring from the middle of what the tensor cores did first; everything if there
/// is little.
Window window_of(const Trace& trace, const WriteOptions& options) {
  if (options.to > options.from) {
    return {options.from, options.to};
  }
  Window all{~std::uint64_t{0}, 0};
  for (const CtaSpan& span : trace.ctas) {
    all = {std::min(all.from, span.begin), std::max(all.to, span.end)};
  }
  if (all.to <= all.from) {
    return {};
  }
  constexpr std::size_t turns = 6;
  for (const Track& track : trace.tracks) {
    if (track.engine == Engine::tensor && track.events.size() > 2 * turns) {
      const std::size_t middle = track.events.size() / 2;
      return {track.events[middle].begin, track.events[middle + turns].end};
    }
  }
  return all;
}

/// One warp speaks for its warpgroup: the four do the same.
bool is_shown(const Track& track) {
  return !track.events.empty() && (track.engine != Engine::warp || track.warp % 4 == 0);
}

class Picture {
 public:
  Picture(const Trace& trace, const Summary& summary, const WriteOptions& options,
          std::ostream& out)
      : trace_(trace), summary_(summary), out_(out), window_(window_of(trace, options)) {
    std::vector<std::uint32_t> ctas;
    for (std::uint32_t t = 0; t < trace.tracks.size(); ++t) {
      const Track& track = trace.tracks[t];
      if (!is_shown(track) || track.sm != trace.tracks.front().sm || !lives(track.cta)) {
        continue;
      }
      if (std::find(ctas.begin(), ctas.end(), track.cta) == ctas.end()) {
        if (static_cast<int>(ctas.size()) == options.ctas) {
          continue;
        }
        ctas.push_back(track.cta);
      }
      rows_.push_back(t);
    }
  }

  void draw() {
    const int height = top + static_cast<int>(rows_.size()) * row_height + 40;
    out_ << fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "height=\"{}\" "
        "role=\"img\" aria-label=\"Timeline of {}\">\n",
        width, height, width, height, escaped(summary_.kernel));
    out_ << style;
    out_ << fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"var(--ground)\"/>\n", width,
                        height);
    out_ << fmt::format(
        "<text x=\"8\" y=\"18\">{} on the {}: tensor cores busy {:.1f} % of the time</text>\n",
        escaped(summary_.kernel), escaped(summary_.target), summary_.tensor_busy_share * 100);
    if (rows_.empty()) {
      out_ << "<text x=\"8\" y=\"40\" class=\"faint\">Nothing was recorded.</text>\n";
    }
    std::uint32_t cta = ~0u;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Track& track = trace_.tracks[rows_[r]];
      draw_row(track, r, track.cta != cta);
      cta = track.cta;
    }
    draw_arrows();
    draw_legend(height);
    out_ << "</svg>\n";
  }

 private:
  bool lives(std::uint32_t cta) const {
    return std::any_of(trace_.ctas.begin(), trace_.ctas.end(), [&](const CtaSpan& span) {
      return span.cta == cta && span.begin < window_.to && span.end > window_.from;
    });
  }

  double x(std::uint64_t time) const {
    const double part = (static_cast<double>(time) - static_cast<double>(window_.from)) /
                        static_cast<double>(window_.to - window_.from);
    return label_width + part * (width - label_width - 8);
  }

  static int y(std::size_t row) { return top + static_cast<int>(row) * row_height; }

  void draw_row(const Track& track, std::size_t r, bool first_of_cta) {
    out_ << fmt::format("<text x=\"8\" y=\"{}\" class=\"faint\">{}{}</text>\n", y(r) + 14,
                        first_of_cta ? fmt::format("CTA {}: ", track.cta) : "",
                        escaped(label_of(trace_, track)));
    if (first_of_cta) {
      out_ << fmt::format("<path d=\"M0 {}h{}\" stroke=\"var(--line)\"/>\n", y(r), width);
    }
    std::array<double, 3> free_at{-1, -1, -1};  // overlapping loads get thinner, in lanes
    for (const Event& event : track.events) {
      if (event.end < window_.from || event.begin > window_.to) {
        continue;
      }
      const double left = std::max<double>(x(event.begin), label_width);
      const double right = std::min<double>(x(event.end), width - 8);
      double offset = 3;
      double tall = row_height - 6;
      if (event.kind == Kind::copy) {
        std::size_t lane = 0;
        while (lane + 1 < free_at.size() && free_at[lane] > left) {
          ++lane;
        }
        free_at[lane] = right;
        tall = (row_height - 4) / 3.0;
        offset = 2 + tall * static_cast<double>(lane);
      }
      out_ << fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"var(--{})\"><title>{}, {} cycles</title></rect>\n",
          left, y(r) + offset, std::max(right - left, 0.8),
          tall - (event.kind == Kind::copy ? 1 : 0), colour_of(trace_, event),
          escaped(label_of(trace_, event)), event.end - event.begin);
      const std::string stage = event.stage == no_stage ? "" : fmt::format("[{}]", event.stage);
      if (right - left > 60 && event.kind != Kind::copy) {
        out_ << fmt::format(
            "<text x=\"{:.1f}\" y=\"{}\" class=\"{}\">{}</text>\n", left + 3, y(r) + 14,
            event.kind == Kind::wait && colour_of(trace_, event) == "empty" ? "on-empty" : "in",
            escaped(trace_.names[event.name] + (event.kind == Kind::multiply_wait ? "" : stage)));
      }
    }
  }

  void draw_arrows() {
    std::vector<int> row_of(trace_.tracks.size(), -1);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      row_of[rows_[r]] = static_cast<int>(r);
    }
    for (const Flow& flow : flows_of(trace_)) {
      const int from = row_of[flow.from_track];
      const int to = row_of[flow.to_track];
      const Event& cause = trace_.tracks[flow.from_track].events[flow.from_event];
      const Event& wait = trace_.tracks[flow.to_track].events[flow.to_event];
      if (from < 0 || to < 0 || cause.end < window_.from || wait.end > window_.to) {
        continue;
      }
      const int down = to > from ? 1 : -1;
      const double y1 = y(static_cast<std::size_t>(from)) + row_height / 2.0 + down * 6;
      const double y2 = y(static_cast<std::size_t>(to)) + row_height / 2.0 - down * 8;
      out_ << fmt::format(
          "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"var(--faint)\"/>"
          "<path d=\"M{:.1f} {:.1f}l-3 {}h6z\" fill=\"var(--faint)\"/>\n",
          x(cause.end), y1, x(wait.end), y2, x(wait.end), y2, -5 * down);
    }
  }

  void draw_legend(int height) {
    constexpr std::array<std::array<const char*, 2>, 8> entries = {
        {{"full", "waits for full"},
         {"empty", "waits for empty"},
         {"multiply-wait", "for multiply"},
         {"meet", "at a barrier"},
         {"copy", "load"},
         {"multiply", "multiply"},
         {"epilogue", "epilogue"},
         {"moment", "issue, release"}}};
    out_ << fmt::format("<text x=\"8\" y=\"36\" class=\"faint\">{} to {} {}</text>\n", window_.from,
                        window_.to, escaped(summary_.unit));
    int at = 8;
    for (const auto& [colour, text] : entries) {
      out_ << fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"11\" height=\"11\" fill=\"var(--{})\"/>"
          "<text x=\"{}\" y=\"{}\" class=\"faint\">{}</text>\n",
          at, height - 24, colour, at + 16, height - 14, text);
      at += 118;
    }
  }

  const Trace& trace_;
  const Summary& summary_;
  std::ostream& out_;
  Window window_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

void write_svg(const Trace& trace, const Summary& summary, const WriteOptions& options,
               std::ostream& out) {
  Picture(trace, summary, options, out).draw();
}

}  // namespace warpline::timeline
