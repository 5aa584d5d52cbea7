// The measurements of the program.
#pragma once

#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "samples/rows_bench/suite.h"

namespace sample::rows {

struct Effort {
  int rounds = 9;
  double milliseconds = 2;
  /// Instead of the suite; reductions have sizes of their own.
  std::vector<Shape> shapes = {std::begin(suite), std::end(suite)};
};

/// Prints a line for each operation and shape, and returns them.
nlohmann::ordered_json measure(const std::vector<std::string>& operations, const Effort& effort);

}  // namespace sample::rows
