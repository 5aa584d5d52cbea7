#include "samples/bench/result_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "samples/support/gpu.h"
#include "samples/support/json_file.h"
#include "samples/support/usage_error.h"
#include "warpline/error.h"

namespace bench {

namespace {

constexpr int version = 1;

std::string format_of(const std::string& benchmark) { return "warpline bench " + benchmark; }

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw warpline::Error(fmt::format("'{}' {}", path, why));
}

std::vector<Json> rows_of(const std::string& path, const std::string& benchmark) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    refuse(path, "cannot be read");
  }
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", "") != format_of(benchmark)) {
    refuse(path, fmt::format("holds no results of bench {}", benchmark));
  }
  if (json.value("version", 0) != version) {
    refuse(path,
           fmt::format("is of version {}, this program reads {}", json["version"].dump(), version));
  }
  const auto rows = json.find("rows");
  const bool whole = rows != json.end() && rows->is_array() &&
                     std::all_of(rows->begin(), rows->end(), [](const Json& row) {
                       return row.is_object() && row.contains("key") && row["key"].is_object() &&
                              row.contains("date") && row["date"].is_string();
                     });
  if (!whole) {
    refuse(path, "is damaged: a row lacks its key or date");
  }
  return {rows->begin(), rows->end()};
}

void put_into(std::vector<Json>& rows, Json row) {
  const auto same = std::find_if(rows.begin(), rows.end(),
                                 [&](const Json& other) { return other["key"] == row["key"]; });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    *same = std::move(row);
  }
}

/// FNV-1a of this program's file.
std::string build_of_this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;
  std::vector<char> piece(1 << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash =
          (hash ^ static_cast<unsigned char>(piece[static_cast<std::size_t>(i)])) * 0x100000001b3;
    }
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto number = [](const std::string& digits) {
    const bool good = !digits.empty() && digits.size() <= 6 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
    return good ? std::stoi(digits) : 0;
  };
  const Shard shard{number(text.substr(0, slash)),
                    slash == std::string::npos ? 0 : number(text.substr(slash + 1))};
  if (shard.index < 1 || shard.index > shard.count) {
    throw sample::UsageError(fmt::format("--shard: '{}' is not i/n with i from 1 to n", text));
  }
  return shard;
}

ResultFile::ResultFile(std::optional<std::string> path, std::string benchmark)
    : path_(std::move(path)), benchmark_(std::move(benchmark)) {
  if (!path_) {
    return;
  }
  std::error_code missing;
  if (std::filesystem::exists(*path_, missing)) {
    if (!std::filesystem::is_regular_file(*path_, missing)) {
      refuse(*path_, "is no plain file: results are rewritten after each row");
    }
    rows_ = rows_of(*path_, benchmark_);
  }
  const sample::JsonFile can_be_written(*path_);
}

const Json* ResultFile::find(const Json& key) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [&](const Json& other) { return other["key"] == key; });
  return row == rows_.end() ? nullptr : &*row;
}

void ResultFile::put(Json row) {
  put_into(rows_, std::move(row));
  if (path_) {
    sample::JsonFile(*path_).write(
        Json{{"format", format_of(benchmark_)}, {"version", version}, {"rows", rows_}});
  }
}

std::vector<Json> read_results(const std::vector<std::string>& paths,
                               const std::string& benchmark) {
  std::vector<Json> all;
  for (const std::string& path : paths) {
    const std::vector<Json> rows = rows_of(path, benchmark);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  std::vector<Json> latest;
  for (const Json& row : all) {
    const bool older = std::any_of(all.begin(), all.end(), [&](const Json& other) {
      return other["key"] == row["key"] &&
             other["date"].get<std::string>() > row["date"].get<std::string>();
    });
    if (!older) {
      put_into(latest, row);
    }
  }
  return latest;
}

Place this_place(bool on_gpu) {
  Place place{.gpu = "simulator", .driver = "", .build = build_of_this_program()};
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    const sample::GpuFacts facts = sample::gpu_facts();
    place.gpu = facts.name;
    place.driver = facts.driver;
  }
#endif
  (void)on_gpu;
  return place;
}

}  // namespace bench
