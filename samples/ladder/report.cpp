#include "samples/ladder/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/cache.h"

namespace ladder {

using Json = nlohmann::ordered_json;
using sample::Speed;
using sample::tflops;

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json configuration_of(const Candidate& candidate) {
  Json json = Json::object();
  for (const auto& [name, value] : values_of(candidate)) {
    json[name] = value;
  }
  json["raster"] = candidate.raster;
  return json;
}

void add_speed(Json& json, const sample::Size& size, const std::optional<Speed>& speed) {
  json["milliseconds"] = speed ? Json(speed->milliseconds) : Json();
  json["tflops"] = speed ? Json(tflops(size, speed->milliseconds)) : Json();
  json["vendor_tflops"] = speed && speed->vendor_milliseconds
                              ? Json(tflops(size, *speed->vendor_milliseconds))
                              : Json();
  json["ratio"] = speed ? or_null(speed->ratio) : Json();
  json["sm_clock_mhz"] = speed ? or_null(speed->sm_clock_mhz) : Json();
}

/// The median over the versions' own.
Json vendor_rate(const std::vector<Report>& reports, const sample::Size& size) {
  std::vector<double> rates;
  for (const Report& report : reports) {
    if (const auto& cool = report.result.cool; cool && cool->vendor_milliseconds) {
      rates.push_back(tflops(size, *cool->vendor_milliseconds));
    }
  }
  if (rates.empty()) {
    return {};
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

std::string speed_text(const sample::Size& size, const Speed& speed) {
  return fmt::format("{:>9.4f}{:>8.1f}{:>8}{:>6}", speed.milliseconds,
                     tflops(size, speed.milliseconds),
                     speed.ratio ? fmt::format("{:.3f}", *speed.ratio) : "-",
                     speed.sm_clock_mhz ? std::to_string(*speed.sm_clock_mhz) : "-");
}

}  // namespace

std::string head(bool timed) {
  std::string text = fmt::format("{:<8}{:<42}{:>9}", "version", "configuration", "error");
  if (timed) {
    text += fmt::format("{:>9}{:>8}{:>8}{:>6}", "ms", "TFLOPS", "ratio", "MHz");
  }
  return text + "\n";
}

std::string line_of(const Report& report) {
  const sample::Result& result = report.result;
  std::string text =
      fmt::format("v{:<7}{:<42}{:>9}", report.version, to_string(report.picked.candidate),
                  result.relative_error ? fmt::format("{:.2e}", *result.relative_error) : "-");
  if (result.cool) {
    text += speed_text(result.size, *result.cool);
  }
  text += result.complaint.empty() ? fmt::format("  {}", report.picked.why) : "  WRONG";
  if (result.sustained) {
    text += fmt::format("\n{:<59}{}  sustained", "", speed_text(result.size, *result.sustained));
  }
  return text + "\n";
}

Json json_of(const std::vector<Report>& reports, const Place& place, const sample::Size& size) {
  const bool on_gpu = !reports.empty() && reports.front().result.on_gpu;
  Json json;
  json["gpu"] = on_gpu ? Json(place.gpu) : Json();
  json["driver"] = on_gpu ? Json(place.driver) : Json();
  json["date"] = warpline::tuner::date_now().substr(0, 10);
  json["problem"] = {{"m", size.m}, {"n", size.n}, {"k", size.k}};
  json["vendor"] = reports.empty() || reports.front().result.vendor_name.empty()
                       ? Json()
                       : Json(reports.front().result.vendor_name);
  json["vendor_tflops"] = vendor_rate(reports, size);
  json["versions"] = Json::array();
  for (const Report& report : reports) {
    Json version;
    version["version"] = fmt::format("v{}", report.version);
    version["configuration"] = configuration_of(report.picked.candidate);
    version["source"] = report.picked.source;
    add_speed(version, size, report.result.cool);
    version["relative_error"] = or_null(report.result.relative_error);
    version["correct"] = or_null(report.result.correct);
    if (report.result.sustained) {
      version["sustained"] = Json::object();
      add_speed(version["sustained"], size, report.result.sustained);
    }
    json["versions"].push_back(std::move(version));
  }
  return json;
}

}  // namespace ladder
