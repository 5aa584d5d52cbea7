// A result for programs, as a file.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace sample {

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
