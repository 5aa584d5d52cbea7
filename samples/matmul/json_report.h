// Results for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "result.h"

namespace sample {

/// What was not measured is null; so is an error that is not a number.
nlohmann::ordered_json json_of(const Result& result);

/// A file that is there in whole or not at all: it is opened before the work, so that a wrong name
/// does not cost an hour, and takes its name when it is written.
class JsonFile {
 public:
  /// Throws Error if the file cannot be written.
  explicit JsonFile(const std::string& path);
  ~JsonFile();
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;

  /// Once.
  void write(const nlohmann::ordered_json& json);

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string draft_;
  std::FILE* file_ = nullptr;
};

}  // namespace sample
