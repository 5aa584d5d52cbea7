// A result for programs, as a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "samples/support/whole_file.h"

namespace sample {

/// There in whole or not at all.
class JsonFile {
 public:
  /// Throws Error if the file cannot be written.
  explicit JsonFile(const std::string& path) : file_(path) {}

  /// Once.
  void write(const nlohmann::ordered_json& json) { file_.write(json.dump(2) + "\n"); }

 private:
  WholeFile file_;
};

}  // namespace sample
