#include "samples/bench/matmul/row.h"

#include <fmt/core.h>

#include "warpline/error.h"

namespace bench {

using warpline::ElementType;

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
std::optional<T> optional_of(const Json& json, const char* name) {
  const auto value = json.find(name);
  return value == json.end() || value->is_null() ? std::nullopt : std::optional(value->get<T>());
}

Json json_of_forced(const Forced& forced) {
  Json json{{"kernel", forced.kernel}, {"splits", forced.splits}, {"raster", forced.raster}};
  // Rows of before this was an option are found again.
  if (forced.nondeterministic) {
    json["nondeterministic"] = true;
  }
  return json;
}

Forced forced_of(const Json& json) {
  return {json.at("kernel").get<std::string>(), json.at("splits").get<int>(),
          json.at("raster").get<int>(), json.value("nondeterministic", false)};
}

Json key(const char* kind, const Shape& shape, const Place& place) {
  return {{"kind", kind},
          {"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"type", warpline::name_of(shape.type)},
          {"gpu", place.gpu},
          {"driver", place.driver},
          {"build", place.build}};
}

Shape shape_of(const Json& json) {
  const Json& key = json.at("key");
  return {json.at("name").get<std::string>(), key.at("m").get<std::int64_t>(),
          key.at("n").get<std::int64_t>(), key.at("k").get<std::int64_t>(),
          key.at("type").get<std::string>() == "bf16" ? ElementType::bf16 : ElementType::fp16};
}

Place place_of(const Json& json) {
  const Json& key = json.at("key");
  return {key.at("gpu").get<std::string>(), key.at("driver").get<std::string>(),
          key.at("build").get<std::string>()};
}

Json json_of(const Candidate& candidate) {
  Json json = json_of_forced(candidate.how);
  json["milliseconds"] = candidate.milliseconds;
  json["stages"] = candidate.stages;
  json["choice"] = candidate.choice;
  if (!candidate.complaint.empty()) {
    json["complaint"] = candidate.complaint;
  }
  return json;
}

Candidate candidate_of(const Json& json) {
  return {.how = forced_of(json),
          .choice = json.at("choice").get<std::string>(),
          .milliseconds = json.at("milliseconds").get<double>(),
          .complaint = json.value("complaint", ""),
          .stages = json.at("stages").get<int>()};
}

/// What reads a row; the JSON library's complaints as ours.
template <class Read>
auto reading(const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw warpline::Error(fmt::format("a row of the results is damaged: {}", error.what()));
  }
}

}  // namespace

Json RowSpeed::json() const {
  return {{"milliseconds", milliseconds},
          {"default_milliseconds", or_null(default_milliseconds)},
          {"best_milliseconds", or_null(best_milliseconds)},
          {"ratio_to_default", or_null(ratio_to_default)},
          {"ratio_to_best", or_null(ratio_to_best)},
          {"sm_clock_mhz", or_null(sm_clock_mhz)},
          {"pairs", pairs}};
}

RowSpeed RowSpeed::from(const Json& json) {
  return {.milliseconds = json.at("milliseconds").get<double>(),
          .default_milliseconds = optional_of<double>(json, "default_milliseconds"),
          .best_milliseconds = optional_of<double>(json, "best_milliseconds"),
          .ratio_to_default = optional_of<double>(json, "ratio_to_default"),
          .ratio_to_best = optional_of<double>(json, "ratio_to_best"),
          .sm_clock_mhz = optional_of<int>(json, "sm_clock_mhz"),
          .pairs = json.at("pairs").get<int>()};
}

Json key_of(const Shape& shape, const Place& place, const Forced& forced) {
  Json json = key("matmul", shape, place);
  json["forced"] = json_of_forced(forced);
  return json;
}

Json key_of_sweep(const Shape& shape, const Place& place, bool nondeterministic) {
  Json json = key("sweep", shape, place);
  if (nondeterministic) {
    json["nondeterministic"] = true;
  }
  return json;
}

bool is_sweep(const Json& row) { return row.at("key").value("kind", "") == "sweep"; }

Json json_of(const Row& row) {
  Json json;
  json["key"] = key_of(row.shape, row.place, row.forced);
  json["date"] = row.date;
  json["name"] = row.shape.name;
  json["choice"] = row.choice;
  json["vendor"] = row.vendor;
  json["vendor_best"] = or_null(row.vendor_best);
  json["correct"] = row.correct;
  json["complaint"] = row.complaint;
  json["relative_error"] = or_null(row.relative_error);
  json["compared_rows"] = row.compared_rows;
  json["vendor_difference"] = or_null(row.vendor_difference);
  json["cool"] = row.cool ? row.cool->json() : Json();
  json["sustained"] = row.sustained ? row.sustained->json() : Json();
  if (row.cool) {
    json["tflops"] = tflops(row.shape, row.cool->milliseconds);
    json["gigabytes_per_second"] = gigabytes_per_second(row.shape, row.cool->milliseconds);
  }
  return json;
}

Row row_of(const Json& json) {
  return reading([&] {
    const auto speed = [&](const char* name) {
      const Json& value = json.at(name);
      return value.is_null() ? std::nullopt : std::optional(RowSpeed::from(value));
    };
    return Row{.shape = shape_of(json),
               .forced = forced_of(json.at("key").at("forced")),
               .place = place_of(json),
               .date = json.at("date").get<std::string>(),
               .choice = json.at("choice").get<std::string>(),
               .vendor = json.at("vendor").get<std::string>(),
               .vendor_best = optional_of<int>(json, "vendor_best"),
               .correct = json.at("correct").get<bool>(),
               .complaint = json.at("complaint").get<std::string>(),
               .relative_error = optional_of<double>(json, "relative_error"),
               .compared_rows = json.at("compared_rows").get<std::int64_t>(),
               .vendor_difference = optional_of<double>(json, "vendor_difference"),
               .cool = speed("cool"),
               .sustained = speed("sustained")};
  });
}

Json json_of(const SweepRow& row) {
  Json json;
  json["key"] = key_of_sweep(row.shape, row.place, row.nondeterministic);
  json["date"] = row.date;
  json["name"] = row.shape.name;
  json["vendor"] = row.vendor;
  json["default_milliseconds"] = or_null(row.default_milliseconds);
  json["best_milliseconds"] = or_null(row.best_milliseconds);
  json["complete"] = row.complete;
  json["chosen"] = row.chosen ? json_of(*row.chosen) : Json();
  json["candidates"] = Json::array();
  for (const Candidate& candidate : row.candidates) {
    json["candidates"].push_back(json_of(candidate));
  }
  return json;
}

SweepRow sweep_row_of(const Json& json) {
  return reading([&] {
    SweepRow row{.shape = shape_of(json),
                 .place = place_of(json),
                 .date = json.at("date").get<std::string>(),
                 .vendor = json.at("vendor").get<std::string>(),
                 .default_milliseconds = optional_of<double>(json, "default_milliseconds"),
                 .best_milliseconds = optional_of<double>(json, "best_milliseconds"),
                 .candidates = {},
                 .chosen = {},
                 .nondeterministic = json.at("key").value("nondeterministic", false),
                 .complete = json.at("complete").get<bool>()};
    for (const Json& candidate : json.at("candidates")) {
      row.candidates.push_back(candidate_of(candidate));
    }
    if (!json.at("chosen").is_null()) {
      row.chosen = candidate_of(json.at("chosen"));
    }
    return row;
  });
}

double tflops(const Shape& shape, double milliseconds) {
  return milliseconds > 0 ? 2e-9 * shape.multiplications() / milliseconds : 0;
}

double gigabytes_per_second(const Shape& shape, double milliseconds) {
  return milliseconds > 0 ? 1e-6 * shape.bytes() / milliseconds : 0;
}

}  // namespace bench
