// What the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "samples/support/options.h"

namespace ladder {

/// What is left open is empty.
struct Filter {
  std::optional<int> stages;
  std::optional<int> block_m;
  std::optional<int> block_n;
  std::optional<int> block_k;
  std::optional<int> raster;

  bool open() const { return !stages && !block_m && !block_n && !block_k && !raster; }
};

/// In which state of the GPU candidates are timed. Some are best in one, others in the other.
enum class Load {
  cool,       ///< a few launches after a rest, as --bench
  sustained,  ///< without pause, at the power limit
};

struct CommandLine {
  /// Nothing for all.
  std::optional<int> version;
  Filter filter;
  sample::SizeOptions size;
  sample::PlaceOptions place;
  std::uint64_t seed = 1;
  /// A set of shapes instead of one: squares, tails, stages, empty, random or all.
  std::optional<std::string> shapes;
  /// Only each `parts`th of them, from the `part`th, counted from 1.
  int part = 1;
  int parts = 1;
  bool list = false;
  bool bench = false;
  bool sustained = false;
  int pairs = 50;
  bool tune = false;
  double tune_budget = 120;
  Load load = Load::cool;
  bool exhaustive = false;
  bool judge_race = false;
  bool no_cache = false;
  std::optional<std::string> cache;
  bool show_cache = false;
  bool clear_cache = false;
  std::optional<std::string> json;
};

/// Nothing if the program should end at once with `status`: it has printed help, or what was wrong.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status);

}  // namespace ladder
