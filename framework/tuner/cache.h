// Winners on disk: a JSON file that several processes may use at once. It can be copied to another
// machine as it is.
//
//   {"format": "warpline tuning", "version": 1, "entries": [
//     {"gpu": "...", "driver": "...", "kernel": "...", "problem": {"m": 8192, ...},
//      "configuration": {"stages": 4, ...}, "milliseconds": 1.5, "complete": true, "date": "..."}]}
//
// A file that cannot be read never stops a program: it counts as empty, and `complaint` says so in
// one line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/configuration.h"

namespace warpline::tuner {

/// What a winner won.
struct CacheKey {
  std::string gpu;
  std::string driver;
  std::string kernel;
  /// The extents and whatever else tells problems apart, by name.
  Values problem;
};

struct CacheEntry {
  CacheKey key;
  Values configuration;
  double milliseconds = 0;
  /// False if time ran out before every candidate was timed.
  bool complete = true;
  /// ISO 8601, UTC.
  std::string date = {};
};

struct CacheContents {
  std::vector<CacheEntry> entries;
  /// Empty if all was well. A file that does not exist is no complaint.
  std::string complaint;
};

/// WARPLINE_TUNING_CACHE, else warpline/tuning.json in XDG_CACHE_HOME, else in ~/.cache. Empty if
/// there is none of these.
std::filesystem::path default_cache();

/// Entries that are malformed are left out. A file of more than 16 MiB is not read.
CacheContents read_cache(const std::filesystem::path& file);

/// Puts the entry in, in place of one with the same key. The file is replaced as a whole (written
/// beside it, flushed to the disk, renamed), under a lock, so that neither a crash nor another
/// process that does the same loses anything. A damaged file is replaced; one of a newer version is
/// left alone. Returns why it could not, in one line; empty if it could.
std::string store(const std::filesystem::path& file, const CacheEntry& entry);

/// Removes the file. Returns why it could not; empty if it could or there is none.
std::string clear_cache(const std::filesystem::path& file);

/// For people: a line for each entry.
std::string to_string(const std::vector<CacheEntry>& entries);

/// Now, as entries have it.
std::string date_now();

}  // namespace warpline::tuner
