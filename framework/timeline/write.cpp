#include "timeline/write.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "timeline/resolve.h"
#include "warpline/error.h"

namespace warpline::timeline {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error("cannot write the timeline to " + path + ": " + why);
}

std::string reason() {
  return errno != 0 ? std::generic_category().message(errno) : "the write failed";
}

/// A file that appears under its name only when it is complete.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), partial_(path + ".partial") {
    errno = 0;
    stream_.open(partial_, std::ios::binary | std::ios::trunc);
    if (!stream_) {
      refuse(path_, reason());
    }
  }
  ~NewFile() {
    if (!done_) {
      stream_.close();
      std::error_code ignored;
      std::filesystem::remove(partial_, ignored);
    }
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  std::ostream& stream() { return stream_; }

  void finish() {
    errno = 0;
    stream_.close();
    if (!stream_) {
      refuse(path_, reason());
    }
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) {
      refuse(path_, error.message());
    }
    done_ = true;
  }

 private:
  std::string path_;
  std::string partial_;
  std::ofstream stream_;
  bool done_ = false;
};

}  // namespace

void check_path(const std::string& path) {
  const std::filesystem::path name(path);
  const std::string ending = name.extension().string();
  if (ending != ".json" && ending != ".html" && ending != ".svg") {
    refuse(path, "its name must end in .json (for Perfetto), .html or .svg");
  }
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) {
    refuse(path, "it is a folder");
  }
  const std::filesystem::path folder = name.has_parent_path() ? name.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    refuse(path, "there is no folder " + folder.string());
  }
}

Summary write_file(Trace& trace, const std::string& path, const WriteOptions& options) {
  check_path(path);
  resolve(trace);
  Summary summary = summarize(trace);
  NewFile file(path);
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".json") {
    write_perfetto(trace, summary, file.stream());
  } else if (ending == ".html") {
    write_html(trace, summary, options, file.stream());
  } else {
    write_svg(trace, summary, options, file.stream());
  }
  file.finish();
  return summary;
}

}  // namespace warpline::timeline
