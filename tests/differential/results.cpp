#include "tests/differential/results.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace warpline::tests {

namespace {

/// Outputs up to this size, of the first few cases, are stored in full, for whoever must find a
/// difference.
constexpr std::size_t full_bytes = 2048;
constexpr int full_cases = 3;
constexpr std::size_t bytes_per_line = 48;
constexpr const char* extension = ".results";

std::string hex(uint64_t value) {
  std::ostringstream out;
  out << std::hex << std::setw(16) << std::setfill('0') << value;
  return out.str();
}

std::string place_of_difference(std::size_t at, const Bytes& found, const Bytes& expected) {
  std::ostringstream out;
  out << "byte " << at << " of " << expected.size() << ": found" << std::hex << std::setfill('0');
  for (std::size_t i = at; i < found.size() && i < at + 8; ++i) {
    out << ' ' << std::setw(2) << unsigned{found[i]};
  }
  out << ", expected";
  for (std::size_t i = at; i < expected.size() && i < at + 8; ++i) {
    out << ' ' << std::setw(2) << unsigned{expected[i]};
  }
  return out.str();
}

}  // namespace

uint64_t hash_of(const Bytes& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes) {
    hash = (hash ^ byte) * 0x100000001b3u;
  }
  return hash;
}

std::string first_difference(const Bytes& found, const Bytes& expected) {
  if (found.size() != expected.size()) {
    return std::to_string(found.size()) + " bytes instead of " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != expected[i]) {
      return place_of_difference(i, found, expected);
    }
  }
  return {};
}

Results::Results(std::string family, bool may_record) : family_(std::move(family)) {
  const char* record = std::getenv("WARPLINE_RECORD");
  if (may_record && record != nullptr) {
    recording_ = true;
    record_folder_ = record;
    std::filesystem::create_directories(record_folder_);
    return;
  }
  const std::filesystem::path folder(WARPLINE_TESTS_FOLDER "/differential/h200");
  std::error_code missing;  // the folder, before the first recording
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    any_stored_ = any_stored_ || file.path().extension() == extension;
  }
  read(folder / (family_ + extension));
}

Results::~Results() {
  if (recording_) {
    write(record_folder_ + "/" + family_ + extension);
  }
}

void Results::read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  Result* last = nullptr;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream words(line);
    if (line[0] == ' ') {
      std::string digits;
      words >> digits;
      for (std::size_t i = 0; i + 1 < digits.size() && last != nullptr; i += 2) {
        last->bytes.push_back(
            static_cast<unsigned char>(std::stoul(digits.substr(i, 2), nullptr, 16)));
      }
      continue;
    }
    std::string name;
    std::string hash;
    Result result;
    words >> name >> result.size >> hash;
    result.hash = std::stoull(hash, nullptr, 16);
    last = &stored_.insert_or_assign(name, std::move(result)).first->second;
  }
}

void Results::write(const std::string& path) const {
  std::ofstream file(path);
  file << "# What an H200 gave: case, bytes of output, their FNV-1a hash; for a few cases the "
          "bytes.\n";
  for (const std::string& name : order_) {
    const Result& result = stored_.at(name);
    file << name << ' ' << result.size << ' ' << hex(result.hash) << '\n';
    for (std::size_t i = 0; i < result.bytes.size(); ++i) {
      file << (i % bytes_per_line == 0 ? "  " : "") << std::hex << std::setw(2) << std::setfill('0')
           << unsigned{result.bytes[i]} << std::dec;
      if (i % bytes_per_line == bytes_per_line - 1 || i + 1 == result.bytes.size()) {
        file << '\n';
      }
    }
  }
}

std::string Results::difference(const std::string& name, const Bytes& output) {
  const uint64_t hash = hash_of(output);
  auto found = stored_.find(name);
  if (found == stored_.end()) {
    if (!recording_) {
      return any_stored_ ? "no H200 result is stored for case " + name : std::string();
    }
    Result result{.size = output.size(), .hash = hash, .bytes = {}, .asked = true};
    int stored_in_full = 0;
    for (const auto& [other, kept] : stored_) {
      stored_in_full += kept.bytes.empty() ? 0 : 1;
    }
    if (output.size() <= full_bytes && stored_in_full < full_cases) {
      result.bytes = output;
    }
    stored_.emplace(name, std::move(result));
    order_.push_back(name);
    return {};
  }
  Result& result = found->second;
  result.asked = true;
  if (result.hash == hash && result.size == output.size()) {
    return {};
  }
  const std::string detail =
      result.bytes.empty() ? std::string() : first_difference(output, result.bytes);
  return "case " + name + ": hash " + hex(hash) + ", the H200 gave " + hex(result.hash) + "; " +
         detail;
}

std::string Results::forgotten() const {
  for (const auto& [name, result] : stored_) {
    if (!result.asked) {
      return "case " + name + " is stored, but no longer generated";
    }
  }
  return {};
}

}  // namespace warpline::tests
