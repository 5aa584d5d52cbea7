#include "samples/bench/matmul/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "matmul/splits_and_rasters.h"
#include "samples/bench/matmul/means.h"
#include "samples/bench/ratio_plot.h"

namespace bench {

namespace {

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string rate(const Shape& shape, const std::optional<double>& milliseconds) {
  return milliseconds ? fmt::format("{:.1f}", tflops(shape, *milliseconds)) : "-";
}

std::string speed_text(const Shape& shape, const RowSpeed& speed) {
  return fmt::format("{:>9.4f}{:>7}{:>7}{:>7}{:>6}{:>7}{:>7}{:>6}", speed.milliseconds,
                     rate(shape, speed.milliseconds), rate(shape, speed.default_milliseconds),
                     rate(shape, speed.best_milliseconds),
                     shape.m <= small_m
                         ? fmt::format("{:.0f}", gigabytes_per_second(shape, speed.milliseconds))
                         : "-",
                     number(speed.ratio_to_default, 3), number(speed.ratio_to_best, 3),
                     speed.sm_clock_mhz ? std::to_string(*speed.sm_clock_mhz) : "-");
}

std::string label(const Shape& shape) {
  return fmt::format("{:<20}{:<5}", shape.name, warpline::name_of(shape.type));
}

}  // namespace

std::string head(bool timed) {
  std::string text = fmt::format("{:<20}{:<5}{:>9}", "shape", "type", "error");
  if (timed) {
    text += fmt::format("{:>9}{:>7}{:>7}{:>7}{:>6}{:>7}{:>7}{:>6}", "ms", "TFLOPS", "deflt", "best",
                        "GB/s", "/deflt", "/best", "MHz");
  }
  return text + "  kernel\n";
}

std::string line_of(const Row& row, bool timed) {
  std::string text =
      label(row.shape) + (row.relative_error ? fmt::format("{:>9.2e}", *row.relative_error)
                                             : fmt::format("{:>9}", "-"));
  if (timed) {
    text += row.cool ? speed_text(row.shape, *row.cool) : std::string(56, ' ');
  }
  // Without an error norm there was no result to be wrong; NaN is one, before it goes to a file.
  const char* const verdict = row.relative_error || row.compared_rows > 0 ? "WRONG: " : "NOT RUN: ";
  text += "  " + (row.complaint.empty() ? row.choice : verdict + row.complaint) + "\n";
  if (row.sustained) {
    text += fmt::format("{:>34}{}  sustained\n", "", speed_text(row.shape, *row.sustained));
  }
  return text;
}

std::string sweep_head() {
  return fmt::format("{:<20}{:<5}{:>6}{:>9}{:>7}{:>7}{:>7}{:>7}{:>7}  fastest\n", "shape", "type",
                     "ways", "ms", "TFLOPS", "GB/s", "/deflt", "/best", "/model");
}

std::string line_of(const SweepRow& row) {
  if (row.candidates.empty()) {
    return label(row.shape) + "  no kernel takes it\n";
  }
  const Candidate& best = row.candidates.front();
  const auto ratio = [&](const std::optional<double>& other) {
    return other ? fmt::format("{:.3f}", *other / best.milliseconds) : "-";
  };
  const auto wrong =
      std::count_if(row.candidates.begin(), row.candidates.end(),
                    [](const Candidate& candidate) { return !candidate.complaint.empty(); });
  return label(row.shape) +
         fmt::format("{:>6}{:>9.4f}{:>7.1f}{:>7.0f}{:>7}{:>7}{:>7}  {}{}{}\n",
                     row.candidates.size(), best.milliseconds, tflops(row.shape, best.milliseconds),
                     gigabytes_per_second(row.shape, best.milliseconds),
                     ratio(row.default_milliseconds), ratio(row.best_milliseconds),
                     ratio(row.chosen ? std::optional(row.chosen->milliseconds) : std::nullopt),
                     to_string(best.how), row.complete ? "" : " (time ran out)",
                     wrong == 0 ? "" : fmt::format("; {} WRONG", wrong));
}

std::string to_string(const Forced& how) {
  std::string text = how.kernel.empty() ? "the model's choice" : how.kernel;
  if (how.splits == warpline::stream_k) {
    text += ", stream-K";
  } else if (how.splits != 0) {
    text += fmt::format(", {} split{}", how.splits, how.splits == 1 ? "" : "s");
  }
  if (how.nondeterministic) {
    text += how.splits > 2 ? " added in any order" : ", nondeterministic";
  }
  if (how.raster == warpline::hilbert_raster) {
    text += ", Hilbert's curve";
  } else if (how.raster != 0) {
    text += fmt::format(", raster {}", how.raster);
  }
  return text;
}

std::string svg_of(const std::vector<Row>& rows) {
  RatioPlot plot{.title = "Speed of warpline::matmul relative to cuBLASLt, cool",
                 .first_mark = "to the library's default choice",
                 .second_mark = "to the fastest of its first 8 (number at the right)",
                 .lines = {}};
  for (const Row& row : rows) {
    RatioPlot::Line line{
        fmt::format("{} {}", row.shape.name, warpline::name_of(row.shape.type)), {}, {}};
    if (row.correct && row.cool) {
      line.first = row.cool->ratio_to_default;
      line.second = row.cool->ratio_to_best;
    }
    plot.lines.push_back(std::move(line));
  }
  return plot.svg();
}

std::vector<Row> latest_of(const std::vector<Row>& rows) {
  std::vector<Row> latest;
  for (const Row& row : rows) {
    const auto same = std::find_if(latest.begin(), latest.end(), [&](const Row& other) {
      return other.shape.m == row.shape.m && other.shape.n == row.shape.n &&
             other.shape.k == row.shape.k && other.shape.type == row.shape.type &&
             other.forced == row.forced && other.place.gpu == row.place.gpu;
    });
    if (same == latest.end()) {
      latest.push_back(row);
    } else if (row.date >= same->date) {
      *same = row;
    }
  }
  return latest;
}

std::string sources_of(const std::vector<Row>& rows) {
  std::map<std::string, int> sources;
  for (const Row& row : rows) {
    const std::string driver =
        row.place.driver.empty() ? "" : ", driver " + row.place.driver;  // the simulator has none
    ++sources[fmt::format("{}{}, {}, build {}", row.place.gpu, driver,
                          row.vendor.empty() ? "compared with nothing" : row.vendor,
                          row.place.build)];
  }
  std::string text;
  for (const auto& [source, count] : sources) {
    text += fmt::format("{} row{} from {}\n", count, count == 1 ? "" : "s", source);
  }
  return text;
}

}  // namespace bench
