#include "tuner/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace warpline::tuner {

namespace {

std::string reason() { return std::generic_category().message(errno); }

int open_file(const std::string& name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX has it so
  return ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file) : descriptor_(open_file(file)) {
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
