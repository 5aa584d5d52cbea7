// Files that are there in whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

namespace warpline::files {

/// Whether finish() returns before the disk has what was written: after a crash of the machine the
/// name then stands for the old text or the new one, never for nothing.
enum class Flush { no, to_disk };

/// A file that is written beside `path` and takes its name when it is complete. Open it before the
/// work, so that a wrong name does not cost an hour.
///
/// Where `path` is a link, what it leads to is replaced; a file that is replaced keeps its
/// permissions. What is no plain file (a pipe, anything in /dev) is appended to instead.
class NewFile {
 public:
  /// Throws Error, "cannot write PATH: why", if no file can be made there. `complaint` takes the
  /// place of "cannot write PATH".
  explicit NewFile(const std::filesystem::path& path, const std::string& complaint = {});
  /// Without finish(), all is as it was before.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Fails when the disk is full, as streams do; finish() says so.
  std::ostream& stream();

  /// Once, at the end. Throws Error if not everything could be written; then all is as it was.
  void finish(Flush flush = Flush::no);

 private:
  class Descriptor;

  [[noreturn]] void fail(int error) const;

  std::string complaint_;
  std::filesystem::path target_;
  std::filesystem::path draft_;  ///< empty: written in place, or finished
  std::unique_ptr<Descriptor> descriptor_;
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace warpline::files
