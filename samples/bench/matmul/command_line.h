// What the user of `bench matmul` asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samples/bench/matmul/row.h"
#include "samples/support/options.h"

namespace bench {

struct MatmulCommand {
  std::optional<std::string> suite;
  std::optional<std::string> shapes;
  std::vector<warpline::ElementType> types = {warpline::ElementType::fp16};
  Shard shard;
  Forced forced;

  bool list = false;
  bool explain = false;
  bool sweep = false;
  /// Files to report on, instead of running anything.
  std::vector<std::string> report;

  int pairs = 50;
  /// Seconds.
  double rest = 0.1;
  double sustained = 2;
  std::optional<double> time_limit;
  bool again = false;
  std::optional<std::string> json;
  std::optional<std::string> svg;

  std::uint64_t seed = 1;
  sample::PlaceOptions place;
};

/// Nothing if the program should end at once with `status`: it has printed help, or what was wrong.
std::optional<MatmulCommand> parse_matmul_command(int argc, char** argv, int& status);

}  // namespace bench
