// Ratios to one or two marks as a picture: a line for each problem, a dot for each mark, on a
// logarithmic scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct RatioPlot {
  struct Line {
    std::string label;
    std::optional<double> first;
    std::optional<double> second;
  };
  std::string title;
  /// What a ratio of 1 means, and what the two kinds of dots are.
  std::string first_mark;
  std::string second_mark;
  std::vector<Line> lines;

  /// Self-contained SVG, light or dark as the reader's system is.
  std::string svg() const;
};

}  // namespace bench
