// Locks between processes.
#pragma once

#include <filesystem>
#include <string>

namespace warpline::tuner {

/// Holds an exclusive flock(2) on a file of its own, which it makes if need be. The kernel gives it
/// back if the process dies.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Why there is no lock; empty if there is.
  const std::string& complaint() const { return complaint_; }

 private:
  int descriptor_ = -1;
  std::string complaint_;
};

}  // namespace warpline::tuner
