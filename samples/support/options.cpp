#include "samples/support/options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace sample {

using warpline::simulator::Policy;

CLI::Validator decimal(bool may_be_negative) {
  const auto wrong = [may_be_negative](const std::string& text) -> std::string {
    const std::size_t sign = may_be_negative && text.starts_with('-') ? 1 : 0;
    const std::string digits = text.substr(sign);
    const bool number = !digits.empty() && digits.size() <= 18 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    return number ? "" : "'" + text + "' is not a whole number of at most 18 digits";
  };
  return {wrong, "NUMBER"};
}

void add_size_options(CLI::App& app, SizeOptions& size) {
  app.add_option("--m", size.m, "Rows of A and C (8192 on a GPU, 512 on the simulator)")
      ->check(decimal(true));
  app.add_option("--n", size.n, "Rows of B, columns of C")->check(decimal(true));
  app.add_option("--k", size.k, "Columns of A and B")->check(decimal(true));
}

void add_target_option(CLI::App& app, TargetWish& target) {
  static const std::map<std::string, TargetWish> targets{{"auto", TargetWish::automatic},
                                                         {"gpu", TargetWish::gpu},
                                                         {"simulator", TargetWish::simulator}};
  app.add_option_function<std::string>(
         "--target", [&target](const std::string& name) { target = targets.at(name); },
         "auto, gpu or simulator; auto takes a GPU if there is one")
      ->check(CLI::IsMember(targets));
}

void add_schedule_options(CLI::App& app, PlaceOptions& place) {
  static const std::map<std::string, std::vector<Policy>> policies{
      {"fair", {Policy::fair}},
      {"random", {Policy::random}},
      {"adversarial", {Policy::adversarial}},
      {"priorities", {Policy::priorities}},
      {"all", {Policy::fair, Policy::random, Policy::adversarial, Policy::priorities}}};
  add_target_option(app, place.target);
  app.add_option_function<std::string>(
         "--policy", [&place](const std::string& name) { place.policies = policies.at(name); },
         "Simulator: fair, random or adversarial order of everything, strict priorities, or all "
         "in turns")
      ->check(CLI::IsMember(policies));
  app.add_option("--schedules", place.schedules, "Simulator: runs, each with the next seed")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--strict", place.strict,
               "Simulator: report also what vendors do and the letter of the PTX ISA forbids");
}

void add_place_options(CLI::App& app, PlaceOptions& place) {
  add_schedule_options(app, place);
  app.add_option_function<std::string>(
         "--vendor", [&place](const std::string& name) { place.vendor_lt = name == "lt"; },
         "Compare with cublasGemmEx or with cublasLt's best of 8: gemmex, lt")
      ->check(CLI::IsMember({"gemmex", "lt"}));
  add_trace_options(app, place.trace);
}

}  // namespace sample
