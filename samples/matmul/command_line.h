// What the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel_choice.h"
#include "simulator/options.h"

namespace sample {

enum class TargetWish { automatic, gpu, simulator };

struct CommandLine {
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> k;
  KernelFilter kernel;
  TargetWish target = TargetWish::automatic;
  std::uint64_t seed = 1;
  warpline::simulator::Policy policy = warpline::simulator::Policy::random;
  int schedules = 1;
  bool check = true;
  bool bench = false;
  std::optional<int> pairs;
  bool vendor_lt = false;
  bool list = false;
  bool describe = false;
  bool sweep = false;
  std::optional<std::string> json;
};

/// Nothing if the program should end at once with `status`: it has printed help, or what was wrong.
std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status);

}  // namespace sample
