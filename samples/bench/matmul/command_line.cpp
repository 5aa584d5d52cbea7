#include "samples/bench/matmul/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "matmul/splits_and_rasters.h"
#include "samples/support/usage_error.h"

namespace bench {

namespace {

constexpr const char* about =
    "Times warpline::matmul on a suite of shapes, in turns with cuBLASLt's default choice and with "
    "the fastest of its first 8; D[M,N] = A[M,K] * B[N,K]^T, all contiguous, correctness checked. "
    "Without a GPU it checks small shapes on the simulator.";

/// 1 to `most`, or what `word` stands for.
int number_or(const std::string& text, const char* word, int meaning, int most) {
  if (text == word) {
    return meaning;
  }
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 1 || number > most) {
    throw CLI::ValidationError(
        fmt::format("'{}' is neither a number from 1 to {} nor '{}'", text, most, word));
  }
  return number;
}

void add_shapes(CLI::App& app, MatmulCommand& command) {
  app.add_option("--suite", command.suite,
                 "Shapes of a file, or of a suite by name: full (default), smoke, unaligned");
  app.add_option("--shapes", command.shapes, "Shapes instead of a suite: MxNxK,...");
  app.add_option_function<std::string>(
      "--type", [&command](const std::string& text) { command.types = parse_types(text); },
      "fp16 (default), bf16, or fp16,bf16: of shapes that state none");
  app.add_option_function<std::string>(
      "--shard", [&command](const std::string& text) { command.shard = parse_shard(text); },
      "i/n: every n-th shape, from the i-th on");
  app.add_option("--seed", command.seed, "Of the inputs, and of the simulator's first schedule")
      ->check(sample::decimal(false));
}

void add_kernel(CLI::App& app, MatmulCommand& command) {
  app.add_flag("--list", command.list, "Print the names of the kernels, and stop");
  app.add_option("--kernel", command.forced.kernel, "That kernel instead of the cost model's");
  app.add_option_function<std::string>(
      "--splits",
      [&command](const std::string& text) {
        command.forced.splits = number_or(text, "stream", warpline::stream_k, 1024);
      },
      "So many parts of K instead of the model's (1 to 1024), or 'stream' for stream-K");
  app.add_option_function<std::string>(
      "--raster",
      [&command](const std::string& text) {
        command.forced.raster = number_or(text, "hilbert", warpline::hilbert_raster, 65536);
      },
      "So many rows of tiles together instead of the model's (1 to 65536), or 'hilbert' for "
      "Hilbert's curve");
  app.add_flag("--nondeterministic", command.forced.nondeterministic,
               "Sums of three or more parts of K may be added up in any order; with --sweep, both "
               "ways are tried");
  app.add_flag("--explain", command.explain,
               "Print which kernel each shape gets, and why; run nothing");
  app.add_flag("--sweep", command.sweep,
               "Time every kernel that takes a shape (or --kernel), with several splits and "
               "rasters, and print the fastest");
}

void add_timing(CLI::App& app, MatmulCommand& command) {
  app.add_option("--pairs", command.pairs, "Timings of each contestant, in turns (50)")
      ->check(CLI::Range(1, 10000));
  app.add_option("--rest", command.rest, "Seconds of rest before each burst of 10 ms (0.1)")
      ->check(CLI::Range(0.0, 60.0));
  app.add_option("--sustained", command.sustained,
                 "Seconds of load before the sustained timings (2); 0: none")
      ->check(CLI::Range(0.0, 600.0));
  app.add_option("--time-limit", command.time_limit, "Seconds after which no other shape is begun")
      ->check(CLI::Range(0.0, 1e6));
}

void add_results(CLI::App& app, MatmulCommand& command) {
  app.add_option("--json", command.json,
                 "Keep results in this file, written after each shape; shapes that this build has "
                 "measured on this GPU are left out");
  app.add_flag("--again", command.again, "Measure them all the same");
  app.add_option("--svg", command.svg, "Draw the ratios");
  app.add_option("--report", command.report,
                 "Print the table and the means of these files of results, and run nothing")
      ->expected(1, 1000);
}

/// What does not go together.
void require_sense(const MatmulCommand& command) {
  const auto exclude = [](bool first, bool second, const char* words) {
    if (first && second) {
      throw sample::UsageError(words);
    }
  };
  const bool simulator = command.place.target == sample::TargetWish::simulator;
  exclude(command.suite.has_value(), command.shapes.has_value(),
          "--suite and --shapes exclude each other");
  exclude(command.sweep, simulator, "--sweep times the GPU; it cannot go with --target simulator");
  exclude(command.sweep, command.explain, "--sweep and --explain exclude each other");
  exclude(command.sweep, command.forced.splits != 0 || command.forced.raster != 0,
          "--sweep tries splits and rasters itself: it cannot go with --splits or --raster");
  exclude(command.sweep, command.place.trace.wanted(),
          "--trace is of one kernel: it cannot go with --sweep");
  exclude(command.explain, command.json || command.svg || command.place.trace.wanted(),
          "--explain runs nothing: it cannot go with --json, --svg or --trace");
  exclude(!command.report.empty(),
          command.json || command.sweep || command.explain || command.suite || command.shapes ||
              command.place.trace.wanted(),
          "--report runs nothing: it goes with --svg only");
  exclude(command.again, !command.json, "--again goes with --json");
}

}  // namespace

std::optional<MatmulCommand> parse_matmul_command(int argc, char** argv, int& status) {
  CLI::App app(about, "bench matmul");
  MatmulCommand command;
  add_shapes(app, command);
  add_kernel(app, command);
  add_timing(app, command);
  add_results(app, command);
  sample::add_schedule_options(app, command.place);
  sample::add_trace_options(app, command.place.trace);
  try {
    app.parse(argc, argv);
    require_sense(command);
    return command;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    status = 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "bench matmul: {} (see --help)\n", error.what());
    status = 2;
  } catch (const sample::UsageError& error) {
    fmt::print(stderr, "bench matmul: {}\n", error.what());
    status = 2;
  }
  return std::nullopt;
}

}  // namespace bench
