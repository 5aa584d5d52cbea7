#include "tuner/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace warpline::tuner {

namespace {

std::string reason() { return std::generic_category().message(errno); }

int open_file(const std::string& name, int flags) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX has it so
  return ::open(name.c_str(), flags | O_CLOEXEC, 0644);
}

bool write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

}  // namespace

std::string replace_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code missing;
  // Through a link, what it leads to is replaced.
  const auto target =
      std::filesystem::exists(file, missing) ? std::filesystem::canonical(file, missing) : file;
  std::string draft = target.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(draft.data());
  if (descriptor < 0) {
    return reason();
  }
  ::fchmod(descriptor, 0644);
  std::string why;
  if (!write_all(descriptor, text) || ::fsync(descriptor) != 0) {
    why = reason();
  }
  ::close(descriptor);
  if (why.empty() && std::rename(draft.c_str(), target.c_str()) != 0) {
    why = reason();
  }
  if (!why.empty()) {
    ::unlink(draft.c_str());
    return why;
  }
  // The new name is in the folder, which has to reach the disk as well. Where folders cannot be
  // flushed the old file may come back after a crash, which is no harm.
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  if (const int opened = open_file(folder, O_RDONLY | O_DIRECTORY); opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
  return {};
}

FileLock::FileLock(const std::filesystem::path& file)
    : descriptor_(open_file(file, O_RDWR | O_CREAT)) {
  if (descriptor_ < 0) {
    complaint_ = reason();
    return;
  }
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      complaint_ = reason();
      return;
    }
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace warpline::tuner
