#include "samples/ladder/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "samples/support/program.h"

namespace ladder {

namespace {

using sample::decimal;
using sample::TargetWish;

constexpr const char* about =
    "C = A * B^T in fp16, six times: from the tensor core's plain instructions (v0) to two "
    "consumer "
    "warpgroups that share a tile (v5). Each version runs with the configuration that was tuned "
    "for "
    "the GPU and the sizes, or with the next best guess.";

void add_what(CLI::App& app, CommandLine& line) {
  static const std::map<std::string, int> versions{{"v0", 0}, {"v1", 1}, {"v2", 2},  {"v3", 3},
                                                   {"v4", 4}, {"v5", 5}, {"all", -1}};
  app.add_option_function<std::string>(
         "--version",
         [&line](const std::string& name) {
           const int version = versions.at(name);
           line.version = version < 0 ? std::nullopt : std::optional(version);
         },
         "v0 to v5, or all (default)")
      ->check(CLI::IsMember(versions));
  add_size_options(app, line.size);
  app.add_option("--seed", line.seed, "Of the inputs, and of the simulator's first schedule")
      ->check(decimal(false));
  app.add_option("--shapes", line.shapes,
                 "A set of shapes instead of one, with each configuration that is built: squares, "
                 "tails, stages, empty, random, all")
      ->check(CLI::IsMember({"squares", "tails", "stages", "empty", "random", "all"}));
  app.add_option_function<std::string>(
         "--part",
         [&line](const std::string& part) {
           if (std::sscanf(part.c_str(), "%d/%d", &line.part, &line.parts) != 2 || line.part < 1 ||
               line.part > line.parts) {
             throw CLI::ValidationError("--part", "'" + part + "' is no part such as 2/5");
           }
         },
         "With --shapes: 2/5 takes the second of five parts of each set")
      ->type_name("I/N");
  app.add_flag("--list", line.list, "Print the configurations that are built, and stop");
  app.add_option("--json", line.json, "Write the result to this file");
}

void add_configuration(CLI::App& app, CommandLine& line) {
  const auto positive = CLI::Range(1, 1 << 20);
  app.add_option("--stages", line.filter.stages, "Only configurations with so many stages")
      ->check(positive);
  app.add_option("--block-m", line.filter.block_m, "Rows of a CTA's tile of C")->check(positive);
  app.add_option("--block-n", line.filter.block_n, "Columns of a CTA's tile of C")->check(positive);
  app.add_option("--block-k", line.filter.block_k, "Columns of A and B in one stage")
      ->check(positive);
  app.add_option("--raster", line.filter.raster,
                 "Rows of tiles that v4 and v5 work on together (4, 8 and 16 are tuned)")
      ->check(positive);
}

void add_timing(CLI::App& app, CommandLine& line) {
  app.add_flag("--bench", line.bench, "Time on the GPU, pair by pair with cuBLAS, in short bursts");
  app.add_flag("--sustained", line.sustained, "With --bench: after seconds of load, too");
  app.add_option("--pairs", line.pairs, "With --bench: pairs of timings (50)")
      ->check(CLI::Range(1, 10000));
  app.add_flag("--tune", line.tune, "Find the fastest configuration on the GPU, and keep it");
  app.add_option("--tune-budget", line.tune_budget, "Seconds for each version (120)")
      ->check(CLI::Range(0.1, 1e6));
  static const std::map<std::string, Load> loads{{"cool", Load::cool},
                                                 {"sustained", Load::sustained}};
  app.add_option_function<std::string>(
         "--tune-load", [&line](const std::string& name) { line.load = loads.at(name); },
         "cool (default): tune with short bursts after a rest, as --bench times; sustained: "
         "without pause, at the power limit. Winners of either are kept apart, and this is also "
         "whose are used")
      ->check(CLI::IsMember(loads));
  app.add_flag("--exhaustive", line.exhaustive,
               "With --tune: time all equally often, to compare with");
  app.add_flag("--judge-race", line.judge_race,
               "With --tune: an exhaustive run after each race, and whether the race found within "
               "3 % of its best in a quarter of its time (else exit status 1)");
}

void add_cache(CLI::App& app, CommandLine& line) {
  app.add_flag("--no-cache", line.no_cache, "Neither use nor keep what was tuned");
  app.add_option("--cache", line.cache,
                 "The cache's file (default: WARPLINE_TUNING_CACHE, else warpline/tuning.json in "
                 "XDG_CACHE_HOME or ~/.cache)");
  app.add_flag("--show-cache", line.show_cache, "Print what was tuned, and stop");
  app.add_flag("--clear-cache", line.clear_cache, "Remove the cache's file, and stop");
}

/// What does not go together, or nothing.
std::string contradiction(const CommandLine& line) {
  if (line.place.target == TargetWish::simulator) {
    if (line.bench) {
      return "--bench times the GPU; it cannot go with --target simulator";
    }
    if (line.tune) {
      return "--tune times the GPU; it cannot go with --target simulator";
    }
  }
  if (line.sustained && !line.bench) {
    return "--sustained goes with --bench";
  }
  if (line.exhaustive && !line.tune) {
    return "--exhaustive goes with --tune";
  }
  if (line.judge_race && (!line.tune || line.exhaustive)) {
    return "--judge-race goes with --tune, and not with --exhaustive";
  }
  if (line.no_cache && line.cache) {
    return "--no-cache and --cache exclude each other";
  }
  if (line.shapes && (line.bench || line.tune || line.json)) {
    return "--shapes only checks: it cannot go with --bench, --tune or --json";
  }
  if (line.parts > 1 && !line.shapes) {
    return "--part goes with --shapes";
  }
  if (line.shapes && (line.size.m || line.size.n || line.size.k)) {
    return "--shapes brings its sizes: it cannot go with --m, --n or --k";
  }
  return {};
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status) {
  CLI::App app(about, "ladder");
  CommandLine line;
  add_what(app, line);
  add_configuration(app, line);
  add_place_options(app, line.place);
  add_timing(app, line);
  add_cache(app, line);
  if (!sample::parse(app, argc, argv, status)) {
    return std::nullopt;
  }
  if (const std::string what = contradiction(line); !what.empty()) {
    fmt::print(stderr, "ladder: {}\n", what);
    status = 2;
    return std::nullopt;
  }
  return line;
}

}  // namespace ladder
