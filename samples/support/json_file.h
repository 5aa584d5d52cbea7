// A result for programs, as a file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "files/new_file.h"

namespace sample {

/// A files::NewFile that takes one JSON value.
class JsonFile {
 public:
  /// Throws Error if the file cannot be written.
  explicit JsonFile(const std::string& path) : file_(path) {}

  /// Once.
  void write(const nlohmann::ordered_json& json);

 private:
  warpline::files::NewFile file_;
};

}  // namespace sample
