// Results on disk, row by row, so that a benchmark that was interrupted goes on where it was, and
// parts that were run apart make one table.
//
//   {"format": "warpline bench matmul", "version": 1, "rows": [{"key": {...}, "date": ..., ...}]}
//
// What a row is about is its key, an object; the rest is its program's.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bench {

using Json = nlohmann::ordered_json;

/// Which part of the work is this process': shard `index` of `count`, from 1.
struct Shard {
  int index = 1;
  int count = 1;

  bool has(std::size_t number) const {
    return number % static_cast<std::size_t>(count) == static_cast<std::size_t>(index - 1);
  }
};
/// "2/3". Throws UsageError.
Shard parse_shard(const std::string& text);

class ResultFile {
 public:
  /// Without a path, rows are kept in memory only. Throws Error for a file that cannot be written,
  /// or that holds anything but results of `benchmark`.
  ResultFile(std::optional<std::string> path, std::string benchmark);

  /// The row of that key; null if there is none.
  const Json* find(const Json& key) const;

  /// Puts the row in, in place of one with its key, and writes all: the file is there in whole,
  /// with or without the row. One process at a time.
  void put(Json row);

  const std::vector<Json>& rows() const { return rows_; }

 private:
  std::optional<std::string> path_;
  std::string benchmark_;
  std::vector<Json> rows_;
};

/// The rows of several files; of rows with one key the latest. Throws Error, for a file that does
/// not exist, too.
std::vector<Json> read_results(const std::vector<std::string>& paths, const std::string& benchmark);

/// Where a row comes from: part of its key.
struct Place {
  std::string gpu;
  std::string driver;
  /// Of this program's own file: another build's rows are not this one's.
  std::string build;
};
/// With `on_gpu`, after why_no_gpu() has found one.
Place this_place(bool on_gpu);

}  // namespace bench
