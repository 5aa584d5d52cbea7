#include "timeline/write.h"

#include <filesystem>
#include <system_error>

#include "files/new_file.h"
#include "timeline/resolve.h"
#include "warpline/error.h"

namespace warpline::timeline {

namespace {

std::string cannot_write(const std::string& path) { return "cannot write the timeline to " + path; }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(cannot_write(path) + ": " + why);
}

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
  files::NewFile file(path, cannot_write(path));
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
