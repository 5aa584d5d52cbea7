// What the user asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "samples/support/timeline.h"

namespace sample {

struct CommandLine {
  std::vector<std::string> kernels;  ///< parts of names; none: one kernel of each family
  bool all = false;
  bool list = false;
  bool verbose = false;
  bool unchanged = false;
  int schedules = 12;
  std::optional<std::string> json;
  TraceOptions trace;
};

/// Nothing if the program is to end with `status` at once.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status);

}  // namespace sample
