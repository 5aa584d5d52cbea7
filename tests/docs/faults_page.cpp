// docs/faults.md quotes a report of each kind of fault as it is printed.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "simulator/explore.h"
#include "tests/simulator/faults/data.h"
#include "tests/simulator/faults/registry.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

/// Line numbers and the folder of the checkout are not what the page is about.
std::string without_places(const std::string& text) {
  return std::regex_replace(text, std::regex("[^ ]*(tests/simulator/faults/[a-z_.]+):[0-9]+"),
                            "$1");
}

std::string page() {
  std::ifstream file(WARPLINE_TESTS_FOLDER "/../docs/faults.md");
  std::ostringstream text;
  text << file.rdbuf();
  return without_places(text.str());
}

TEST_CASE("docs/faults.md quotes each kind's report") {
  const std::string text = page();
  REQUIRE_FALSE(text.empty());
  const FaultData data;
  std::set<simulator::FaultKind> quoted;
  for (const Fault& fault : all_faults()) {
    if (text.find(" in " + std::string(fault.info.name) + ", ") == std::string::npos) {
      continue;
    }
    simulator::Options options{.seed = 1, .policy = simulator::Policy::fair};
    options.strict = fault.info.strict;
    options.max_steps = fault.info.max_steps != 0 ? fault.info.max_steps : options.max_steps;
    const auto reports = simulator::reports_of(options, [&](const simulator::Options& how) {
      fault.run(Stream{.options = how}, data.arguments(), true);
    });
    REQUIRE(reports.size() == 1);
    INFO("the page does not have: " << reports.front().text());
    CHECK(text.find(without_places(reports.front().text())) != std::string::npos);
    quoted.insert(reports.front().kind);
  }
  for (const simulator::Rule* rule : simulator::all_rules()) {
    INFO("no report of kind " << to_string(rule->kind));
    CHECK(quoted.contains(rule->kind));
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
