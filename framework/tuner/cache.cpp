#include "tuner/cache.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/new_file.h"
#include "tuner/file_lock.h"
#include "warpline/error.h"

namespace warpline::tuner {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format = "warpline tuning";
constexpr int version = 1;
constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

std::string quoted(const std::filesystem::path& file) { return "'" + file.string() + "'"; }

Json json_of(const Values& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) {
    json[name] = value;
  }
  return json;
}

Json json_of(const CacheEntry& entry) {
  return {{"gpu", entry.key.gpu},
          {"driver", entry.key.driver},
          {"kernel", entry.key.kernel},
          {"problem", json_of(entry.key.problem)},
          {"configuration", json_of(entry.configuration)},
          {"milliseconds", entry.milliseconds},
          {"complete", entry.complete},
          {"date", entry.date}};
}

std::optional<Values> values_of(const Json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  Values values;
  for (const auto& [name, value] : json.items()) {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <=
                           static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits) {
      return std::nullopt;
    }
    values.emplace_back(name, value.get<std::int64_t>());
  }
  return values;
}

/// Nothing if the entry is malformed.
std::optional<CacheEntry> entry_of(const Json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  const auto text = [&](const char* name) -> std::optional<std::string> {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                     : std::nullopt;
  };
  const auto values = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() ? values_of(*found) : std::nullopt;
  };
  const auto gpu = text("gpu");
  const auto driver = text("driver");
  const auto kernel = text("kernel");
  const auto problem = values("problem");
  const auto configuration = values("configuration");
  const auto milliseconds = json.find("milliseconds");
  const auto complete = json.find("complete");
  if (!gpu || !driver || !kernel || !problem || !configuration || milliseconds == json.end() ||
      !milliseconds->is_number() || complete == json.end() || !complete->is_boolean()) {
    return std::nullopt;
  }
  return CacheEntry{.key = {*gpu, *driver, *kernel, *problem},
                    .configuration = *configuration,
                    .milliseconds = milliseconds->get<double>(),
                    .complete = complete->get<bool>(),
                    .date = text("date").value_or("")};
}

bool same_key(const CacheKey& a, const CacheKey& b) {
  return a.gpu == b.gpu && a.driver == b.driver && a.kernel == b.kernel &&
         same(a.problem, b.problem);
}

/// What read_cache says, and whether the file is of a version that this program does not know.
struct Reading {
  CacheContents contents;
  bool newer = false;
};

Reading read(const std::filesystem::path& file) {
  const auto ignored = [&](const std::string& why) {
    return Reading{{{}, "tuning cache " + quoted(file) + " is ignored: " + why}};
  };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return {};
  }
  if (error || status.type() != std::filesystem::file_type::regular) {
    return ignored(error ? error.message() : "it is no regular file");
  }
  if (const auto bytes = std::filesystem::file_size(file, error); error || bytes > most_bytes) {
    return ignored(error ? error.message()
                         : std::to_string(bytes >> 20) + " MiB, at most 16 are read");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return ignored("it cannot be read");
  }
  const Json json = Json::parse(stream, nullptr, false);
  if (json.is_discarded()) {
    return ignored("it is no JSON");
  }
  if (!json.is_object() || !json.contains("format") || json["format"] != format ||
      !json.contains("version") || !json["version"].is_number_integer()) {
    return ignored(std::string("it is not of the format '") + format + "'");
  }
  if (json["version"] != version) {
    Reading other = ignored("it is of version " + json["version"].dump() + ", this program reads " +
                            std::to_string(version));
    other.newer = json["version"] > version;
    return other;
  }
  if (!json.contains("entries") || !json["entries"].is_array()) {
    return ignored("it has no list of entries");
  }
  Reading reading;
  for (const Json& item : json["entries"]) {
    if (auto entry = entry_of(item)) {
      reading.contents.entries.push_back(std::move(*entry));
    }
  }
  if (const auto bad = json["entries"].size() - reading.contents.entries.size(); bad != 0) {
    reading.contents.complaint = "tuning cache " + quoted(file) + ": " + std::to_string(bad) +
                                 " malformed entries are ignored";
  }
  return reading;
}

}  // namespace

std::filesystem::path default_cache() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
  };
  if (auto file = variable("WARPLINE_TUNING_CACHE"); !file.empty()) {
    return file;
  }
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {  // the XDG Base Directory Specification: ignore a relative one
    const auto home = variable("HOME");
    folder = home.empty() ? home : home / ".cache";
  }
  return folder.empty() ? folder : folder / "warpline" / "tuning.json";
}

CacheContents read_cache(const std::filesystem::path& file) { return read(file).contents; }

std::string store(const std::filesystem::path& file, const CacheEntry& entry) {
  const std::string cannot_store = "the winner is not stored in " + quoted(file);
  const auto failed = [&](const std::string& why) { return cannot_store + ": " + why; };
  std::error_code error;
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
      return failed(error.message());
    }
  }
  const FileLock lock(file.string() + ".lock");
  if (!lock.complaint().empty()) {
    return failed(lock.complaint());
  }
  Reading reading = read(file);
  if (reading.newer) {
    return failed("the file is of a newer version");
  }
  std::vector<CacheEntry>& entries = reading.contents.entries;
  const auto old = std::find_if(entries.begin(), entries.end(), [&](const CacheEntry& other) {
    return same_key(other.key, entry.key);
  });
  if (old != entries.end()) {
    *old = entry;
  } else {
    entries.push_back(entry);
  }
  Json json{{"format", format}, {"version", version}, {"entries", Json::array()}};
  for (const CacheEntry& each : entries) {
    json["entries"].push_back(json_of(each));
  }
  // A name that is not UTF-8 shall not throw.
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  try {
    files::NewFile replacement(file, cannot_store);
    replacement.stream() << text;
    replacement.finish(files::Flush::to_disk);
  } catch (const Error& complaint) {
    return complaint.what();
  }
  return {};
}

std::string clear_cache(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) {
    return "cannot remove " + quoted(file) + ": " + error.message();
  }
  return {};
}

std::string to_string(const std::vector<CacheEntry>& entries) {
  std::string text;
  for (const CacheEntry& entry : entries) {
    text += entry.key.gpu + " (driver " + entry.key.driver + "), " + entry.key.kernel + ", " +
            to_string(entry.key.problem) + ": " + to_string(entry.configuration) + "; " +
            Json(entry.milliseconds).dump() + " ms, " + entry.date +
            (entry.complete ? "" : ", not all candidates timed") + "\n";
  }
  return text;
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, length};
}

}  // namespace warpline::tuner
