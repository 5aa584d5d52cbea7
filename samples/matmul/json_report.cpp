#include "json_report.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "warpline/error.h"

namespace sample {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// The keys of one kind of timing; null all of them if there was none.
void add_speed(Json& json, const Size& size, const std::optional<Speed>& speed,
               const std::string& suffix) {
  const auto rate = [&](double milliseconds) { return Json(tflops(size, milliseconds)); };
  json["milliseconds" + suffix] = speed ? Json(speed->milliseconds) : Json();
  json["tflops" + suffix] = speed ? rate(speed->milliseconds) : Json();
  json["vendor_tflops" + suffix] =
      speed && speed->vendor_milliseconds ? rate(*speed->vendor_milliseconds) : Json();
  json["ratio_to_vendor" + suffix] = speed ? or_null(speed->ratio) : Json();
  json["sm_clock_mhz" + suffix] = speed ? or_null(speed->sm_clock_mhz) : Json();
}

}  // namespace

Json json_of(const Result& result) {
  const warpline::MatmulKernel& kernel = *result.kernel;
  Json json;
  json["kernel"] = kernel.name;
  json["target"] = result.on_gpu ? "gpu" : "simulator";
  json["m"] = result.size.m;
  json["n"] = result.size.n;
  json["k"] = result.size.k;
  json["dtype"] = "fp16";
  json["stages"] = kernel.stages;
  json["block_m"] = kernel.block_m;
  json["block_n"] = kernel.block_n;
  json["block_k"] = kernel.block_k;
  json["relative_error"] = or_null(result.relative_error);
  json["correct"] = or_null(result.correct);
  json["vendor_name"] = result.vendor_name.empty() ? Json() : Json(result.vendor_name);
  json["vendor_difference"] = or_null(result.vendor_difference);
  add_speed(json, result.size, result.cool, "");
  add_speed(json, result.size, result.sustained, "_sustained");
  return json;
}

JsonFile::JsonFile(const std::string& path) : path_(path) {
  using std::filesystem::file_type;
  std::error_code missing;  // no file is no error
  if (std::filesystem::is_regular_file(path, missing) && path.rfind("/dev/", 0) != 0) {
    path_ = std::filesystem::canonical(path).string();  // replaced is what a link leads to
  }
  if (path.empty()) {
    errno = ENOENT;
    fail();
  }
  const file_type type = std::filesystem::symlink_status(path_, missing).type();
  if (type == file_type::directory) {
    errno = EISDIR;
    fail();
  }
  // What is no plain file (a pipe, /dev/stdout) cannot be replaced: it is appended to.
  const bool plain = type == file_type::regular || type == file_type::not_found;
  draft_ = plain ? fmt::format("{}.{}.part", path_, getpid()) : path_;
  file_ = std::fopen(draft_.c_str(), plain ? "w" : "a");
  if (file_ == nullptr) {
    fail();
  }
}

JsonFile::~JsonFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    if (draft_ != path_) {
      std::remove(draft_.c_str());
    }
  }
}

void JsonFile::write(const Json& json) {
  const std::string text = json.dump(2) + "\n";
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
  if (!written || (draft_ != path_ && std::rename(draft_.c_str(), path_.c_str()) != 0)) {
    fail();  // the destructor removes the draft
  }
  std::fclose(file_);
  file_ = nullptr;
}

void JsonFile::fail() const {
  throw warpline::Error(
      fmt::format("cannot write '{}': {}", path_, std::generic_category().message(errno)));
}

}  // namespace sample
