// A result as a file.
#pragma once

#include <cstdio>
#include <string>

namespace sample {

/// A file that is there in whole or not at all: it is opened before the work, so that a wrong name
/// does not cost an hour, and takes its name when it is written.
class WholeFile {
 public:
  /// Throws Error if the file cannot be written.
  explicit WholeFile(const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Once.
  void write(const std::string& text);

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string draft_;
  std::FILE* file_ = nullptr;
};

}  // namespace sample
