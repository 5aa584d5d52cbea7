// Matchers for what a simulation found, for tests with Catch2 (2.13 or 3):
//
//   REQUIRE_THAT(simulate<MyKernel>(grid, arguments), IsClean());
//   REQUIRE_THAT(simulate<Mutant>(grid, arguments),
//                Breaks("stage-in-multiply").by("producer").at("k.h", 71).against("consumer"));
//   REQUIRE_THAT(simulate<Mutant>(grid, arguments), Reports(FaultKind::wgmma_race));
#pragma once

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/explore.h"

namespace warpline::simulator {

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
using ExplorationMatcher = Catch::Matchers::MatcherBase<Exploration>;
#else
using ExplorationMatcher = Catch::MatcherBase<Exploration>;
#endif

/// No fault was found.
class IsClean : public ExplorationMatcher {
 public:
  bool match(const Exploration& found) const override { return found.reports.empty(); }
  std::string describe() const override { return "is clean"; }
};

/// Some report says all that the matcher says.
class ReportMatcher : public ExplorationMatcher {
 public:
  /// Whose line was caught: a role's name.
  ReportMatcher by(std::string role) const {
    ReportMatcher more = *this;
    more.caught_.role = std::move(role);
    return more;
  }
  /// That line: the end of a path, and a number.
  ReportMatcher at(std::string file, unsigned line) const {
    ReportMatcher more = *this;
    more.caught_.file = std::move(file);
    more.caught_.line = line;
    return more;
  }
  /// The other party's role ...
  ReportMatcher against(std::string role) const {
    ReportMatcher more = *this;
    more.other_.role = std::move(role);
    return more;
  }
  /// ... and its line.
  ReportMatcher against_line(std::string file, unsigned line) const {
    ReportMatcher more = *this;
    more.other_.file = std::move(file);
    more.other_.line = line;
    return more;
  }
  ReportMatcher in_stage(int stage) const {
    ReportMatcher more = *this;
    more.stage_ = stage;
    return more;
  }

  bool match(const Exploration& found) const override {
    return std::any_of(found.reports.begin(), found.reports.end(),
                       [this](const Report& report) { return says(report); });
  }

  std::string describe() const override {
    std::ostringstream out;
    out << "has a report";
    if (kind_) {
      out << " of kind '" << to_string(*kind_) << "'";
    }
    if (rule_) {
      out << " of rule '" << *rule_ << "'";
    }
    caught_.describe(out, " by ");
    other_.describe(out, " against ");
    if (stage_) {
      out << " in stage " << *stage_;
    }
    return out.str();
  }

 private:
  friend ReportMatcher Reports(FaultKind kind);
  friend ReportMatcher Breaks(std::string rule);

  struct Party {
    std::optional<std::string> role = {};
    std::optional<std::string> file = {};
    unsigned line = 0;

    bool is(const Culprit& culprit) const {
      return (!role || culprit.role == *role) &&
             (!file || (std::string_view(culprit.file).ends_with(*file) && culprit.line == line));
    }
    bool anybody() const { return !role && !file; }
    void describe(std::ostream& out, const char* before) const {
      if (role) {
        out << before << "'" << *role << "'";
      }
      if (file) {
        out << (role ? " at " : before) << *file << ":" << line;
      }
    }
  };

  bool says(const Report& report) const {
    return (!kind_ || report.kind == *kind_) &&
           (!rule_ || (report.rule != nullptr && report.rule->name == *rule_)) &&
           caught_.is(report) && (other_.anybody() || (report.other && other_.is(*report.other))) &&
           (!stage_ || report.stage == *stage_);
  }

  std::optional<FaultKind> kind_;
  std::optional<std::string> rule_;
  Party caught_;
  Party other_;
  std::optional<int> stage_;
};

/// A report of this kind. Narrow it with by(), at(), against(), in_stage().
inline ReportMatcher Reports(FaultKind kind) {
  ReportMatcher matcher;
  matcher.kind_ = kind;
  return matcher;
}

/// A report of this rule, by its name in docs/design.md.
inline ReportMatcher Breaks(std::string rule) {
  ReportMatcher matcher;
  matcher.rule_ = std::move(rule);
  return matcher;
}

}  // namespace warpline::simulator

namespace Catch {

template <>
struct StringMaker<warpline::simulator::Exploration> {
  static std::string convert(const warpline::simulator::Exploration& found) { return found.text(); }
};

}  // namespace Catch
