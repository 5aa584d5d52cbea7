#include "json_report.h"

#include <nlohmann/json.hpp>

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

}  // namespace sample
