// Files that are there in whole or not at all: what is seen while one is written, and what is left
// when it cannot be.
#include "files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"
#include "warpline/error.h"

namespace warpline::tests {

using Catch::Matchers::ContainsSubstring;
using files::Flush;
using files::NewFile;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& text, Flush flush = Flush::no) {
  NewFile file(path);
  file.stream() << text;
  file.finish(flush);
}

/// What it throws; empty if it does not.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Longer than any buffer, and no two pages alike.
std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 300'000; ++i) {
    text += std::to_string(i * 7919) + "\n";
  }
  return text;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("files: the old text is there until the new one is complete") {
  for (const Flush flush : {Flush::no, Flush::to_disk}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("t");
    write(path, "old", flush);
    NewFile file(path);
    file.stream() << long_text() << std::flush;
    REQUIRE(text_of(path) == "old");
    file.finish(flush);
    REQUIRE(text_of(path) == long_text());
    REQUIRE(folder.files() == 1);
  }
}

TEST_CASE("files: texts arrive as they were written, in pieces of any size") {
  const TemporaryFolder folder;
  const std::string text = long_text();
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{4095}, std::size_t{65536}, std::size_t{65537}, text.size()}) {
    NewFile file(folder.file("t"));
    for (std::size_t at = 0; at < text.size(); at += piece) {
      file.stream() << text.substr(at, piece);
    }
    file.finish();
    INFO(piece);
    REQUIRE((text_of(folder.file("t")) == text));
  }
  write(folder.file("empty"), "");
  REQUIRE(std::filesystem::file_size(folder.file("empty")) == 0);
}

TEST_CASE("files: without an end nothing has happened") {
  const TemporaryFolder folder;
  { NewFile(folder.file("t")).stream() << "half"; }
  REQUIRE(folder.files() == 0);
  write(folder.file("t"), "old");
  { NewFile(folder.file("t")).stream() << "half"; }
  REQUIRE(text_of(folder.file("t")) == "old");
  REQUIRE(folder.files() == 1);
}

TEST_CASE("files: two writers of one name do not mix their texts") {
  const TemporaryFolder folder;
  NewFile first(folder.file("t"));
  NewFile second(folder.file("t"));
  first.stream() << "first";
  second.stream() << "second";
  second.finish();
  REQUIRE(text_of(folder.file("t")) == "second");
  first.finish();
  REQUIRE(text_of(folder.file("t")) == "first");
  REQUIRE(folder.files() == 1);
}

TEST_CASE("files: what is replaced keeps its permissions, what is new has the usual ones") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write(folder.file("new"), "text");
  ::umask(before);
  REQUIRE(mode_of(folder.file("new")) == 0640);
  REQUIRE(::chmod(folder.file("new").c_str(), 0600) == 0);
  write(folder.file("new"), "other text");
  REQUIRE(mode_of(folder.file("new")) == 0600);
}

TEST_CASE("files: of a link, what it leads to is replaced") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("far"));
  std::filesystem::create_symlink("far/t", folder.file("link"));
  for (const char* text : {"nothing was there", "and now"}) {
    write(folder.file("link"), text);
    REQUIRE(std::filesystem::is_symlink(folder.file("link")));
    REQUIRE(text_of(folder.file("far/t")) == text);
  }
  std::filesystem::create_symlink("round", folder.file("round"));
  REQUIRE_THAT(error_of([&] { write(folder.file("round"), "text"); }),
               ContainsSubstring("cannot write '" + folder.file("round") + "'"));
  REQUIRE(folder.files() == 3);
}

TEST_CASE("files: a pipe is written to, and stays") {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);  // NOLINT: POSIX has it so
  REQUIRE(reader >= 0);
  write(path, "through the pipe", Flush::to_disk);
  std::array<char, 64> text{};
  const ssize_t count = ::read(reader, text.data(), text.size());
  ::close(reader);
  REQUIRE(std::string(text.data(), static_cast<std::size_t>(count)) == "through the pipe");
  REQUIRE(std::filesystem::is_fifo(path));
}

TEST_CASE("files: a wrong name is an error before anything is written") {
  const TemporaryFolder folder;
  const auto error = [](const std::string& path) {
    return error_of([&] { const NewFile file(path); });
  };
  const std::string missing = folder.file("none/t");
  REQUIRE(error(missing) == "cannot write '" + missing + "': No such file or directory");
  const std::string folder_itself = folder.path().string();
  REQUIRE(error(folder_itself) == "cannot write '" + folder_itself + "': Is a directory");
  REQUIRE(error("") == "cannot write '': No such file or directory");
  REQUIRE(error_of([&] { const NewFile file(missing, "no report"); }) ==
          "no report: No such file or directory");
  REQUIRE(folder.files() == 0);
}

TEST_CASE("files: a full disk is an error, and leaves what was there") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t");
  write(path, "old");
  // The text ends in the buffer, or far beyond it.
  for (const std::string& text : {std::string(10'000, 'x'), long_text()}) {
    const std::string error = error_of([&] {
      const FullDisk full(4096);
      write(path, text);
    });
    REQUIRE(error == "cannot write '" + path + "': File too large");
    REQUIRE(text_of(path) == "old");
    REQUIRE(folder.files() == 1);
  }
  REQUIRE(error_of([] { write("/dev/full", "text"); }) ==
          "cannot write '/dev/full': No space left on device");
}

}  // namespace warpline::tests
