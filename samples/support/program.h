// How a sample's main begins and ends.
#pragma once

#include <functional>

#include "samples/support/cli_app.h"

namespace sample {

/// Reads the command line into what `app`'s options are bound to. False if the program is to end:
/// help was printed (`status` 0), or one line says what is wrong (2).
bool parse(CLI::App& app, int argc, char** argv, int& status);

/// What `run` returns; if it throws, one line on stderr, after what it had printed, and 2 for a
/// UsageError, else 1. `program` begins that line.
int exit_status_of(const char* program, const std::function<int()>& run);

/// The same for a parsed command line; `status` if parsing has printed what there was to say.
template <class Line, class Run>
int exit_status_of(const char* program, const Line& line, int status, const Run& run) {
  return line ? exit_status_of(program, [&] { return run(*line); }) : status;
}

}  // namespace sample
