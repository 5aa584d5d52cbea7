#include "samples/bench/ratio_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

constexpr double width = 900;
constexpr double left = 250;
constexpr double right = 70;
constexpr double top = 78;
constexpr double step = 17;
constexpr double bottom = 16;

constexpr const char* style = R"(<style>
text { font: 12px sans-serif; fill: #24292f; } text.title { font-size: 15px; font-weight: bold; }
.page { fill: #ffffff; stroke: #d0d7de; } .grid { stroke: #d0d7de; } .one { stroke: #57606a; }
.first { fill: #d8a24a; } .second { fill: #0969da; } .reach { stroke: #8c959f; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .page { fill: #0d1117; stroke: #3d444d; } .grid { stroke: #30363d; }
.one { stroke: #9198a1; } .first { fill: #c98a1b; } .second { fill: #4493f8; }
.reach { stroke: #7d8590; } }
</style>
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

/// Where ratios lie: the powers of 2 around all of them, at least 0.5 to 2.
class Scale {
 public:
  explicit Scale(const std::vector<RatioPlot::Line>& lines) {
    for (const RatioPlot::Line& line : lines) {
      for (const std::optional<double>& ratio : {line.first, line.second}) {
        if (is_shown(ratio)) {
          low_ = std::min(low_, std::floor(std::log2(*ratio)));
          high_ = std::max(high_, std::ceil(std::log2(*ratio)));
        }
      }
    }
  }
  static bool is_shown(const std::optional<double>& ratio) {
    return ratio && *ratio > 0 && std::isfinite(*ratio);
  }
  double x(double ratio) const {
    return left + (std::log2(ratio) - low_) / (high_ - low_) * (width - left - right);
  }
  std::vector<double> marks() const {
    std::vector<double> values;
    for (double power = low_; power <= high_; ++power) {
      for (const double part : {1.0, 1.25, 1.5, 1.75}) {
        const double value = std::exp2(power) * part;
        if (value <= std::exp2(high_) && (part == 1.0 || high_ - low_ <= 3)) {
          values.push_back(value);
        }
      }
    }
    return values;
  }

 private:
  double low_ = -1;
  double high_ = 1;
};

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const char* kind = "") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     kind, x, y, anchor, escaped(words));
}

std::string vertical(const char* kind, double x, double from, double to) {
  return fmt::format("<path class=\"{0}\" d=\"M {1:.1f} {2:.1f} V {3:.1f}\"/>\n", kind, x, from,
                     to);
}

std::string dot(const char* kind, double x, double y, double radius) {
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>\n", kind, x, y,
                     radius);
}

}  // namespace

std::string RatioPlot::svg() const {
  const Scale scale(lines);
  const double end = top + step * static_cast<double>(lines.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{4:.0f}\" height=\"{5:.0f}\" rx=\"6\"/>\n",
      width, end + bottom, escaped(title), style, width - 1, end + bottom - 1);
  svg += text(16, 26, "start", title, "title");
  svg += dot("first", 22, 44, 4) + text(32, 48, "start", first_mark);
  svg += dot("second", left + 172, 44, 4) + text(left + 182, 48, "start", second_mark);
  for (const double mark : scale.marks()) {
    svg += vertical(mark == 1 ? "one" : "grid", scale.x(mark), top - 4, end);
    svg += text(scale.x(mark), top - 8, "middle", fmt::format("{:.3g}", mark));
  }
  double y = top + step / 2;
  for (const Line& line : lines) {
    svg += text(left - 12, y + 4, "end", line.label);
    const bool first = Scale::is_shown(line.first);
    const bool second = Scale::is_shown(line.second);
    if (first && second) {
      svg += fmt::format("<path class=\"reach\" d=\"M {:.1f} {:.1f} H {:.1f}\"/>\n",
                         scale.x(*line.first), y, scale.x(*line.second));
    }
    svg += first ? dot("first", scale.x(*line.first), y, 4) : "";
    svg += second ? dot("second", scale.x(*line.second), y, 4) : "";
    svg += text(width - 10, y + 4, "end",
                second  ? fmt::format("{:.2f}", *line.second)
                : first ? fmt::format("{:.2f}", *line.first)
                        : "-");
    y += step;
  }
  return svg + "</svg>\n";
}

}  // namespace bench
