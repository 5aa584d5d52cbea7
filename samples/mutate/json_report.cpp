#include "json_report.h"

#include <nlohmann/json.hpp>

namespace sample {

namespace {

using Json = nlohmann::ordered_json;
using warpline::simulator::MutantResult;
using warpline::simulator::MutationSite;
using warpline::simulator::Outcome;

Json json_of(const MutationSite& site) {
  return {{"instruction", to_string(site.instruction)},
          {"file", site.file},
          {"line", site.line},
          {"role", site.role},
          {"barrier", site.barrier}};
}

/// What does not apply to the outcome is null.
Json json_of(const MutantResult& result) {
  const bool reported = result.outcome == Outcome::reported;
  const bool replayable = reported || result.outcome == Outcome::wrong_result;
  return {{"site", result.mutant.site},
          {"change", to_string(result.mutant.change)},
          {"occurrence", to_string(result.mutant.occurrence)},
          {"outcome", to_string(result.outcome)},
          {"rule", reported ? Json(result.report.rule->name) : Json()},
          {"report", reported ? Json(result.report.text()) : Json()},
          {"reason", result.reason.empty() ? Json() : Json(result.reason)},
          {"seed", replayable ? Json(result.options.seed) : Json()},
          {"policy", replayable ? Json(to_string(result.options.policy)) : Json()},
          {"schedules", result.schedules}};
}

}  // namespace

Json json_of(const std::string& kernel, const warpline::simulator::MutationReport& report) {
  Json sites = Json::array();
  for (const MutationSite& site : report.sites) {
    sites.push_back(json_of(site));
  }
  Json mutants = Json::array();
  for (const MutantResult& result : report.mutants) {
    mutants.push_back(json_of(result));
  }
  return {{"kernel", kernel},
          {"score", report.score()},
          {"reported", report.count(Outcome::reported)},
          {"equivalent", report.count(Outcome::equivalent)},
          {"wrong_result", report.count(Outcome::wrong_result)},
          {"survived", report.count(Outcome::survived)},
          {"sites", std::move(sites)},
          {"mutants", std::move(mutants)}};
}

}  // namespace sample
