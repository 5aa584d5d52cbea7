// Every fault of the catalogue is found, named by its rule, role and lines, on every schedule; its
// twin is clean on all of them; and every rule has a fault.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "simulator/explore.h"
#include "tests/simulator/faults/data.h"
#include "tests/simulator/faults/registry.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

using simulator::Exploration;
using simulator::Policy;
using simulator::Report;

/// Seeds for each policy: more on request.
int seeds() {
  const char* const wish = std::getenv("WARPLINE_FAULT_SEEDS");
  return wish != nullptr ? std::atoi(wish) : 8;
}

/// Lines of a file by the key in their comment `// <- KEY`.
std::map<std::string, unsigned> marked_lines(const std::string& file) {
  std::map<std::string, unsigned> lines;
  // The compiler may have been given a path relative to who knows what.
  const std::size_t folder = file.rfind("/simulator/faults/");
  REQUIRE(folder != std::string::npos);
  std::ifstream source(WARPLINE_TESTS_FOLDER + file.substr(folder));
  REQUIRE(source);
  unsigned number = 0;
  const std::string mark = "// <- ";
  for (std::string line; std::getline(source, line);) {
    ++number;
    const std::size_t at = line.find(mark);
    if (at != std::string::npos) {
      INFO(file << " marks a line twice: " << line);
      REQUIRE(lines.emplace(line.substr(at + mark.size()), number).second);
    }
  }
  return lines;
}

/// Role and line, as a report has them and as the catalogue says.
struct Place {
  std::string role;
  std::string file;
  unsigned line;
  bool operator==(const Place&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.role << " at " << place.file << ":" << place.line;
}

Place place_of(const simulator::Culprit& culprit) {
  return {culprit.role, culprit.file, culprit.line};
}

Place place_of(const FaultInfo& fault, const char* role, const char* key, const char* party) {
  static std::map<std::string, std::map<std::string, unsigned>> files;
  auto [lines, fresh] = files.try_emplace(fault.file);
  if (fresh) {
    lines->second = marked_lines(fault.file);
  }
  const std::string wanted = key != nullptr ? key : std::string(party) + ": " + fault.name;
  INFO("no line of " << fault.file << " is marked `// <- " << wanted << "`");
  REQUIRE(lines->second.contains(wanted));
  return {role, fault.file, lines->second.at(wanted)};
}

void check_sighting(const FaultInfo& fault, const Sighting& sighting, const Report& report) {
  const Place caught = place_of(fault, sighting.role, sighting.at, "caught");
  CHECK(report.other.has_value() == (sighting.other != nullptr));
  if (sighting.other == nullptr || !report.other) {
    CHECK(place_of(report) == caught);
    return;
  }
  const Place other = place_of(fault, sighting.other, sighting.other_at, "other");
  if (fault.either_way && place_of(report) == other) {
    CHECK(place_of(*report.other) == caught);
  } else {
    CHECK(place_of(report) == caught);
    CHECK(place_of(*report.other) == other);
  }
}

void check_report(const FaultInfo& fault, const Report& report) {
  INFO(report.text());
  REQUIRE(report.rule != nullptr);
  const std::string rule = report.rule->name;
  const bool also = fault.also_seen.rule != nullptr && rule == fault.also_seen.rule;
  const Sighting& sighting = also ? fault.also_seen : fault.seen;
  CHECK(rule == sighting.rule);
  CHECK(report.kind == report.rule->kind);
  check_sighting(fault, sighting, report);
  if (fault.stage >= 0) {
    CHECK(report.stage == fault.stage);
  }
  CHECK(report.kernel == fault.name);
  CHECK_FALSE(report.what.empty());
  CHECK_FALSE(report.cure.empty());
  CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring(report.file));
  if (report.other) {
    CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring(
                                  report.other->file + ":" + std::to_string(report.other->line)));
  }
  const std::string replay = "seed " + std::to_string(report.seed) + ", policy ";
  CHECK_THAT(report.text(), Catch::Matchers::ContainsSubstring(replay));
}

simulator::Options options_for(const FaultInfo& fault) {
  simulator::Options options;
  options.strict = fault.strict;
  options.max_steps = fault.max_steps != 0 ? fault.max_steps : 10'000'000;
  return options;
}

Exploration explore(const Fault& fault, FaultData& data, bool faulty, int schedules,
                    std::vector<Policy> policies) {
  return simulator::explore(
      {.base = options_for(fault.info), .policies = std::move(policies), .schedules = schedules},
      [&](const simulator::Options& options) {
        data.results([&](const FaultArguments& arguments) {
          fault.run(Stream{.options = options}, arguments, faulty);
        });
      });
}

const std::vector<Policy> every = {Policy::fair, Policy::random, Policy::adversarial,
                                   Policy::priorities};

TEST_CASE("every fault is found on every schedule, by its rule, role and lines") {
  FaultData data;
  for (const Fault& fault : all_faults()) {
    INFO(fault.info.name);
    std::set<std::string> causes;
    for (const Policy policy : every) {
      for (int seed = 1; seed <= seeds(); ++seed) {
        INFO("policy " << to_string(policy) << ", seed " << seed);
        simulator::Options options = options_for(fault.info);
        options.seed = static_cast<std::uint64_t>(seed);
        options.policy = policy;
        const auto reports = simulator::reports_of(options, [&](const auto& how) {
          fault.run(Stream{.options = how}, data.arguments(), true);
        });
        CHECK(reports.size() == 1);
        if (!reports.empty()) {
          check_report(fault.info, reports.front());
          causes.insert(reports.front().cause());
        }
      }
    }
    // One report for one cause, on whatever schedule it was found.
    CHECK(causes.size() <= (fault.info.also_seen.rule != nullptr ? 2U : 1U));
  }
}

TEST_CASE("the twin of every fault is clean on every schedule") {
  FaultData data;
  for (const Fault& fault : all_faults()) {
    const Exploration found = explore(fault, data, false, 4 * seeds(), every);
    INFO(fault.info.name << ": " << found.text());
    CHECK(found.reports.empty());
  }
}

TEST_CASE("an exploration reports each cause once") {
  FaultData data;
  for (const Fault& fault : all_faults()) {
    const Exploration found = explore(fault, data, true, 40, every);
    INFO(fault.info.name << ": " << found.text());
    CHECK(found.schedules == 40);
    CHECK(found.reports.size() >= 1);
    CHECK(found.reports.size() <= (fault.info.also_seen.rule != nullptr ? 2U : 1U));
  }
}

TEST_CASE("twins give the same results on every schedule") {
  FaultData data;
  for (const Fault& fault : all_faults()) {
    INFO(fault.info.name);
    std::vector<int32_t> first;
    for (const Policy policy : every) {
      simulator::Options options = options_for(fault.info);
      options.policy = policy;
      const auto results = data.results([&](const FaultArguments& arguments) {
        fault.run(Stream{.options = options}, arguments, false);
      });
      CHECK((first.empty() || results == first));
      first = results;
    }
  }
}

TEST_CASE("every rule has a fault, and there are forty at least") {
  std::set<std::string> broken;
  std::set<std::string> names;
  for (const Fault& fault : all_faults()) {
    CHECK(names.insert(fault.info.name).second);
    broken.insert(fault.info.seen.rule);
  }
  CHECK(names.size() >= 40);
  std::set<std::string> rules;
  for (const simulator::Rule* rule : simulator::all_rules()) {
    rules.insert(rule->name);
  }
  CHECK(broken == rules);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
