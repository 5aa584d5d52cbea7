// The cache file: what it keeps, and all that may be wrong with it.
#include "tuner/cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace warpline::tuner::tests {
namespace {

using warpline::tests::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

CacheEntry entry(const std::string& kernel, std::int64_t m, std::int64_t stages = 4) {
  return {.key = {"H200", "580.1", kernel, {{"m", m}, {"n", 8192}, {"k", 64}}},
          .configuration = {{"stages", stages}, {"block_m", 128}},
          .milliseconds = 1.25,
          .date = "2026-11-29T12:00:00Z"};
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// One line, and nothing of the file.
void check_ignored(const std::filesystem::path& file, const std::string& why) {
  const CacheContents contents = read_cache(file);
  CHECK(contents.entries.empty());
  CHECK_THAT(contents.complaint, ContainsSubstring(why));
  CHECK(contents.complaint.find('\n') == std::string::npos);
  CHECK_THAT(contents.complaint, ContainsSubstring(file.string()));
}

TEST_CASE("cache: what is stored is read again") {
  const TemporaryFolder folder;
  const auto file = folder / "deep/down/tuning.json";
  CHECK(read_cache(file).entries.empty());
  CHECK(read_cache(file).complaint.empty());
  REQUIRE(store(file, entry("a", 1)).empty());
  REQUIRE(store(file, entry("b", 2)).empty());
  CacheEntry partial = entry("a", 3);
  partial.complete = false;
  REQUIRE(store(file, partial).empty());
  const CacheContents contents = read_cache(file);
  CHECK(contents.complaint.empty());
  REQUIRE(contents.entries.size() == 3);
  const CacheEntry& second = contents.entries[1];
  CHECK(second.key.gpu == "H200");
  CHECK(second.key.driver == "580.1");
  CHECK(second.key.kernel == "b");
  CHECK(same(second.key.problem, {{"m", 2}, {"n", 8192}, {"k", 64}}));
  CHECK(second.configuration == Values{{"stages", 4}, {"block_m", 128}});
  CHECK(second.milliseconds == 1.25);
  CHECK(second.complete);
  CHECK(second.date == "2026-11-29T12:00:00Z");
  CHECK_FALSE(contents.entries[2].complete);
}

TEST_CASE("cache: a new winner replaces the old one of its key, and no other") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  REQUIRE(store(file, entry("a", 1, 2)).empty());
  REQUIRE(store(file, entry("a", 2, 3)).empty());
  CacheEntry again = entry("a", 1, 7);
  std::reverse(again.key.problem.begin(), again.key.problem.end());  // order is no difference
  REQUIRE(store(file, again).empty());
  const auto entries = read_cache(file).entries;
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].configuration[0].second == 7);
  CHECK(entries[1].configuration[0].second == 3);
  CacheEntry driver = entry("a", 1, 5);
  driver.key.driver = "590";
  REQUIRE(store(file, driver).empty());
  CHECK(read_cache(file).entries.size() == 3);
}

TEST_CASE("cache: a damaged file is ignored with one line, and replaced by the next winner") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  REQUIRE(store(file, entry("a", 1)).empty());
  const std::string good = text_of(file);
  struct Case {
    std::string text;
    const char* why;
  };
  for (const Case& bad :
       {Case{"", "no JSON"}, Case{"{", "no JSON"}, Case{"null", "format"}, Case{"[1, 2]", "format"},
        Case{"{}", "format"}, Case{good.substr(0, good.size() / 2), "no JSON"},
        Case{std::string("\0\xff\xfe", 3), "no JSON"},
        Case{R"({"format": 3, "version": 1, "entries": []})", "format"},
        Case{R"({"format": "warpline tuning", "version": "1"})", "format"},
        Case{R"({"format": "warpline tuning", "version": 1})", "no list"},
        Case{R"({"format": "warpline tuning", "version": 1, "entries": {}})", "no list"},
        Case{R"({"format": "warpline tuning", "version": 0, "entries": []})", "of version 0"},
        Case{std::string(200'000, '['), "no JSON"}}) {
    INFO(bad.text.substr(0, 80));
    write(file, bad.text);
    check_ignored(file, bad.why);
    CHECK(store(file, entry("a", 1)).empty());
    CHECK(read_cache(file).entries.size() == 1);
  }
}

TEST_CASE("cache: a file of a newer version is left alone") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  const std::string newer = R"({"format": "warpline tuning", "version": 2, "entries": [7]})";
  write(file, newer);
  check_ignored(file, "of version 2, this program reads 1");
  CHECK_THAT(store(file, entry("a", 1)), ContainsSubstring("newer version"));
  CHECK(text_of(file) == newer);
}

TEST_CASE("cache: malformed entries are left out, the others are kept") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  REQUIRE(store(file, entry("a", 1)).empty());
  const std::string good = text_of(file);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {with("\"H200\"", "200"), with("\"stages\": 4", "\"stages\": 4.5"),
        with("\"stages\": 4", "\"stages\": \"4\""), with("\"m\": 1", "\"m\": null"),
        with("\"m\": 1", "\"m\": 18446744073709551615"), with("1.25", "\"fast\""),
        with("\"complete\": true", "\"complete\": 1"), with("\"kernel\"", "\"colonel\"")}) {
    INFO(text);
    REQUIRE(text != good);
    write(file, text);
    const CacheContents contents = read_cache(file);
    CHECK(contents.entries.empty());
    CHECK_THAT(contents.complaint, ContainsSubstring("1 malformed entries are ignored"));
  }
  write(file, with("\"entries\": [", "\"entries\": [null, 3, [], {},"));
  CHECK(read_cache(file).entries.size() == 1);
  CHECK_THAT(read_cache(file).complaint, ContainsSubstring("4 malformed"));
}

TEST_CASE("cache: what is no file, or a huge one, is not read") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.json");
  check_ignored(folder / "folder.json", "no regular file");
  CHECK_FALSE(store(folder / "folder.json", entry("a", 1)).empty());
  check_ignored("/dev/zero", "no regular file");
  write(folder / "huge.json", "{");
  std::filesystem::resize_file(folder / "huge.json", std::uintmax_t{17} << 20);
  check_ignored(folder / "huge.json", "17 MiB");
}

TEST_CASE("cache: where nothing can be written, a line says so") {
  const TemporaryFolder folder;
  write(folder / "file", "");
  const std::string why = store(folder / "file" / "t.json", entry("a", 1));
  CHECK_THAT(why, ContainsSubstring("the winner is not stored in"));
  CHECK(why.find('\n') == std::string::npos);
  if (::geteuid() != 0) {  // root may write anywhere
    std::filesystem::permissions(
        folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    CHECK_THAT(store(folder / "t.json", entry("a", 1)), ContainsSubstring("not stored"));
    CHECK(read_cache(folder / "t.json").complaint.empty());
  }
  CHECK_FALSE(store("/proc/warpline/t.json", entry("a", 1)).empty());
}

TEST_CASE("cache: a crash in the middle leaves the old file") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  REQUIRE(store(file, entry("a", 1)).empty());
  // What a process that died before its rename leaves behind.
  write(folder / "t.json.Ab12cd", "{\"format\": \"warpl");
  CHECK(read_cache(file).entries.size() == 1);
  REQUIRE(store(file, entry("a", 2)).empty());
  CHECK(read_cache(file).entries.size() == 2);
  const auto left = std::filesystem::directory_iterator(folder.path());
  CHECK(std::count_if(begin(left), end(left), [](const auto&) { return true; }) == 3);
}

TEST_CASE("cache: a process that is killed while it stores damages nothing") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  REQUIRE(store(file, entry("first", 0)).empty());
  for (int victim = 0; victim < 20; ++victim) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        store(file, entry("victim", i % 50));
      }
    }
    ::usleep(2000 + 700 * static_cast<unsigned>(victim));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const CacheContents contents = read_cache(file);
    CHECK(contents.complaint.empty());
    CHECK_FALSE(contents.entries.empty());
  }
  CHECK(store(file, entry("last", 0)).empty());  // no lock is left
}

TEST_CASE("cache: several processes that store at once lose nothing") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  constexpr int processes = 4;
  constexpr int each = 25;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < each; ++i) {
        good = store(file, entry("process " + std::to_string(process), i)).empty() && good;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(read_cache(file).entries.size() == processes * each);
}

TEST_CASE("cache: cleared, shown, copied") {
  const TemporaryFolder folder;
  const auto file = folder / "t.json";
  CHECK(clear_cache(file).empty());
  REQUIRE(store(file, entry("a", 1)).empty());
  std::filesystem::copy_file(file, folder / "shipped.json");
  CHECK_THAT(to_string(read_cache(folder / "shipped.json").entries),
             ContainsSubstring("H200 (driver 580.1), a, m 1, n 8192, k 64: stages 4, block_m 128"));
  CHECK(clear_cache(file).empty());
  CHECK(read_cache(file).entries.empty());
  std::filesystem::create_directories(folder / "full/x");
  CHECK_FALSE(clear_cache(folder / "full").empty());
}

TEST_CASE("cache: through a symbolic link the file behind it is replaced") {
  const TemporaryFolder folder;
  REQUIRE(store(folder / "real.json", entry("a", 1)).empty());
  std::filesystem::create_symlink(folder / "real.json", folder / "link.json");
  REQUIRE(store(folder / "link.json", entry("a", 2)).empty());
  CHECK(std::filesystem::is_symlink(folder / "link.json"));
  CHECK(read_cache(folder / "real.json").entries.size() == 2);
}

TEST_CASE("cache: names that are not UTF-8 do not stop it") {
  const TemporaryFolder folder;
  CacheEntry odd = entry("\xff\xfe", 1);
  CHECK(store(folder / "t.json", odd).empty());
  CHECK(read_cache(folder / "t.json").entries.size() == 1);
}

TEST_CASE("cache: where it lies by default") {
  struct Variable {
    explicit Variable(const char* variable) : name(variable) {
      if (const char* const value = std::getenv(variable)) {
        old = value;
        was_set = true;
      }
    }
    ~Variable() { was_set ? ::setenv(name, old.c_str(), 1) : ::unsetenv(name); }
    const char* name;
    std::string old;
    bool was_set = false;
  };
  const Variable cache("WARPLINE_TUNING_CACHE");
  const Variable xdg("XDG_CACHE_HOME");
  const Variable home("HOME");
  ::unsetenv("WARPLINE_TUNING_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/someone", 1);
  CHECK(default_cache() == "/home/someone/.cache/warpline/tuning.json");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(default_cache() == "/home/someone/.cache/warpline/tuning.json");
  ::setenv("XDG_CACHE_HOME", "/elsewhere", 1);
  CHECK(default_cache() == "/elsewhere/warpline/tuning.json");
  ::setenv("WARPLINE_TUNING_CACHE", "mine.json", 1);
  CHECK(default_cache() == "mine.json");
  ::unsetenv("WARPLINE_TUNING_CACHE");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  CHECK(default_cache().empty());
}

}  // namespace
}  // namespace warpline::tuner::tests
