#include "samples/support/whole_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "warpline/error.h"

namespace sample {

WholeFile::WholeFile(const std::string& path) : path_(path) {
  using std::filesystem::file_type;
  std::error_code missing;  // no file is no error
  if (std::filesystem::is_regular_file(path, missing) && path.rfind("/dev/", 0) != 0) {
    path_ = std::filesystem::canonical(path).string();  // replaced is what a link leads to
  }
  if (path.empty()) {
    errno = ENOENT;
    fail();
  }
  const file_type type = std::filesystem::symlink_status(path_, missing).type();
  if (type == file_type::directory) {
    errno = EISDIR;
    fail();
  }
  // What is no plain file (a pipe, /dev/stdout) cannot be replaced: it is appended to.
  const bool plain = type == file_type::regular || type == file_type::not_found;
  draft_ = plain ? fmt::format("{}.{}.part", path_, getpid()) : path_;
  file_ = std::fopen(draft_.c_str(), plain ? "w" : "a");
  if (file_ == nullptr) {
    fail();
  }
}

WholeFile::~WholeFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    if (draft_ != path_) {
      std::remove(draft_.c_str());
    }
  }
}

void WholeFile::write(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
  if (!written || (draft_ != path_ && std::rename(draft_.c_str(), path_.c_str()) != 0)) {
    fail();  // the destructor removes the draft
  }
  std::fclose(file_);
  file_ = nullptr;
}

void WholeFile::fail() const {
  throw warpline::Error(
      fmt::format("cannot write '{}': {}", path_, std::generic_category().message(errno)));
}

}  // namespace sample
