// What an H200 gave for each test case, stored as text in tests/differential/h200, and how a run on
// either target is held against it. With the environment variable WARPLINE_RECORD=FOLDER, the GPU
// tests write the files anew.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpline::tests {

using Bytes = std::vector<unsigned char>;

/// FNV-1a.
uint64_t hash_of(const Bytes& bytes);

/// Where two outputs first differ, in words; empty if nowhere.
std::string first_difference(const Bytes& found, const Bytes& expected);

/// The results of one family of cases.
class Results {
 public:
  /// `may_record`: whether this program runs on the GPU.
  Results(std::string family, bool may_record);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results();

  /// How `output` differs from the stored result of this case; empty if it does not, or if there
  /// are no results.
  std::string difference(const std::string& name, const Bytes& output);

  /// Stored cases that difference() has not been asked about; empty if none.
  std::string forgotten() const;

  /// False as long as no H200 has run any family. Once one has, a family without results fails.
  bool recorded() const { return recording_ || any_stored_; }

 private:
  struct Result {
    std::size_t size = 0;
    uint64_t hash = 0;
    Bytes bytes;  ///< only of a few
    bool asked = false;
  };
  void read(const std::string& path);
  void write(const std::string& path) const;

  std::string family_;
  bool recording_ = false;
  bool any_stored_ = false;
  std::string record_folder_;
  std::map<std::string, Result> stored_;
  std::vector<std::string> order_;
};

}  // namespace warpline::tests
