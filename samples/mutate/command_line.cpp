#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "samples/support/program.h"

namespace sample {

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status) {
  CLI::App app(
      "Changes every wait, arrival, fence, commit, meeting and byte declaration of a shipped "
      "kernel, one at a time, and shows that the simulator reports it",
      "mutate");
  CommandLine line;
  app.add_option("--kernel", line.kernels,
                 "Only kernels with this in their name; may be repeated (default: the smallest of "
                 "each family)");
  app.add_flag("--all", line.all, "All kernels: some minutes");
  app.add_flag("--list", line.list, "Print the kernels' names, and stop");
  app.add_flag("--verbose", line.verbose, "Print equivalent and reported mutants, too");
  CLI::Option* const unchanged = app.add_flag(
      "--unchanged", line.unchanged,
      "Mutate nothing: each kernel must be right and without a report under --schedules schedules, "
      "all policies in turns");
  app.add_option("--schedules", line.schedules, "Runs of each mutant, until one reports it")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--json", line.json, "Write all mutants of all kernels to this file")
      ->excludes(unchanged);
  add_trace_options(app, line.trace);
  if (!parse(app, argc, argv, status)) {
    return std::nullopt;
  }
  return line;
}

}  // namespace sample
