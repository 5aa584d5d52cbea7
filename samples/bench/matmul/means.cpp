#include "samples/bench/matmul/means.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "samples/bench/matmul/report.h"

namespace bench {

namespace {

using Speed = std::optional<RowSpeed> Row::*;

std::string mean_text(const std::vector<double>& ratios) {
  const std::optional<double> mean = geometric_mean(ratios);
  return mean ? fmt::format("{:.3f}", *mean) : "-";
}

/// A line of the means of some rows; empty if none of them was timed.
std::string means_line(const std::string& name, const std::vector<const Row*>& rows, Speed speed) {
  std::vector<double> to_default;
  std::vector<double> to_best;
  for (const Row* row : rows) {
    const std::optional<RowSpeed>& timed = row->*speed;
    if (row->correct && timed && timed->ratio_to_default && timed->ratio_to_best) {
      to_default.push_back(*timed->ratio_to_default);
      to_best.push_back(*timed->ratio_to_best);
    }
  }
  if (to_best.empty()) {
    return {};
  }
  const auto least = *std::min_element(to_best.begin(), to_best.end());
  const auto below =
      std::count_if(to_best.begin(), to_best.end(), [](double ratio) { return ratio < behind; });
  return fmt::format("{:<26}{:>7}{:>10}{:>10}{:>10.3f}{:>8}\n", name, to_best.size(),
                     mean_text(to_default), mean_text(to_best), least, below);
}

/// The rows that are behind, slowest first.
std::string behind_text(const std::vector<Row>& rows) {
  std::vector<const Row*> slow;
  for (const Row& row : rows) {
    if (row.correct && row.cool && row.cool->ratio_to_best.value_or(1) < behind) {
      slow.push_back(&row);
    }
  }
  std::sort(slow.begin(), slow.end(), [](const Row* a, const Row* b) {
    return *a->cool->ratio_to_best < *b->cool->ratio_to_best;
  });
  std::string text;
  for (const Row* row : slow) {
    text += fmt::format("  {:.3f}  {} {}: {}\n", *row->cool->ratio_to_best, row->shape.name,
                        warpline::name_of(row->shape.type), row->choice);
  }
  return text.empty() ? "" : fmt::format("below {} of the vendor's best:\n{}", behind, text);
}

}  // namespace

std::optional<double> geometric_mean(const std::vector<double>& ratios) {
  if (ratios.empty()) {
    return std::nullopt;
  }
  double sum = 0;
  for (const double ratio : ratios) {
    sum += std::log(ratio);
  }
  return std::exp(sum / static_cast<double>(ratios.size()));
}

std::string summary_of(const std::vector<Row>& rows) {
  using warpline::ElementType;
  struct Part {
    const char* name;
    std::function<bool(const Row&)> has;
  };
  const Part parts[] = {
      {"all", [](const Row&) { return true; }},
      {"fp16", [](const Row& row) { return row.shape.type == ElementType::fp16; }},
      {"bf16", [](const Row& row) { return row.shape.type == ElementType::bf16; }},
      {"M to 64", [](const Row& row) { return row.shape.m <= small_m; }},
      {"M above 64", [](const Row& row) { return row.shape.m > small_m; }}};
  std::string lines;
  for (const auto& [kind, speed] : {std::pair{"", &Row::cool}, {" sustained", &Row::sustained}}) {
    for (const Part& part : parts) {
      std::vector<const Row*> some;
      for (const Row& row : rows) {
        if (part.has(row)) {
          some.push_back(&row);
        }
      }
      // A part that is all there is, or nothing, says nothing.
      if (&part != parts && (some.empty() || some.size() == rows.size())) {
        continue;
      }
      lines += means_line(std::string(part.name) + kind, some, speed);
    }
  }
  std::string text;
  if (!lines.empty()) {
    text = fmt::format("{:<26}{:>7}{:>10}{:>10}{:>10}{:>8}\n{}", "geometric means", "shapes",
                       "/default", "/best", "least", "< 0.95", lines);
  }
  text += behind_text(rows);
  const auto wrong =
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.correct; });
  return text + fmt::format("{} of {} shapes correct\n",
                            static_cast<std::ptrdiff_t>(rows.size()) - wrong, rows.size());
}

std::string summary_of(const std::vector<SweepRow>& rows) {
  std::vector<double> to_default;
  std::vector<double> to_best;
  std::vector<double> to_chosen;
  for (const SweepRow& row : rows) {
    if (row.candidates.empty()) {
      continue;
    }
    const double ours = row.candidates.front().milliseconds;
    if (row.default_milliseconds && row.best_milliseconds) {
      to_default.push_back(*row.default_milliseconds / ours);
      to_best.push_back(*row.best_milliseconds / ours);
    }
    if (row.chosen) {
      to_chosen.push_back(row.chosen->milliseconds / ours);
    }
  }
  return fmt::format(
      "geometric means of the fastest ways: {} of the vendor's default, {} of its best, {} of the "
      "cost model's choice\n",
      mean_text(to_default), mean_text(to_best), mean_text(to_chosen));
}

}  // namespace bench
