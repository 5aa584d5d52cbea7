// What the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel_choice.h"
#include "samples/support/options.h"

namespace sample {

struct CommandLine {
  SizeOptions size;
  KernelFilter kernel;
  std::uint64_t seed = 1;
  PlaceOptions place;
  bool check = true;
  bool bench = false;
  std::optional<int> pairs;
  bool list = false;
  bool describe = false;
  bool sweep = false;
  std::optional<std::string> json;
  std::optional<std::string> reports;
};

/// Nothing if the program should end at once with `status`: it has printed help, or what was wrong.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status);

}  // namespace sample
