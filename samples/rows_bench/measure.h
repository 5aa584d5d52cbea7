// The measurements of the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sample::rows {

struct Effort {
  int rounds = 9;
  double milliseconds = 2;
};

/// Prints a line for each operation and shape, and returns them.
nlohmann::ordered_json measure(const std::vector<std::string>& operations, const Effort& effort);

}  // namespace sample::rows
