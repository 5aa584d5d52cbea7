#include "simulator/report.h"

#include <cstdio>
#include <sstream>

#include "simulator/machine.h"

namespace warpline::simulator {

const char* to_string(Policy policy) {
  switch (policy) {
    case Policy::fair:
      return "fair";
    case Policy::random:
      return "random";
    case Policy::adversarial:
      return "adversarial";
    case Policy::priorities:
      return "priorities";
    case Policy::exhaustive:
      return "exhaustive";
    case Policy::timed:
      return "timed";
  }
  return "?";
}

std::string Culprit::text() const {
  std::ostringstream out;
  out << (role.empty() ? "thread" : role);
  if (warp >= 0) {
    out << " (CTA " << cta << ", warp " << warp;
    if (lane >= 0) {
      out << ", lane " << lane;
    }
    out << ")";
  }
  if (!file.empty()) {
    out << " at " << file << ":" << line;
  }
  return out.str();
}

std::string Report::text() const {
  std::ostringstream out;
  out << to_string(kind) << " in " << kernel;
  if (warp >= 0) {
    out << ", " << Culprit::text();
  }
  out << ": " << what;
  if (other && what.find(other->text()) == std::string::npos) {
    out << " (the other party: " << other->text() << ")";
  }
  if (!cure.empty()) {
    out << ": " << cure;
  }
  if (rule != nullptr) {
    out << " [rule: " << rule->name << "; " << to_string(rule->basis) << ", " << rule->source
        << "]";
  }
  out << " [replay: seed " << seed << ", policy " << to_string(policy) << "]";
  if (!situation.empty()) {
    out << "\n" << situation;
  }
  return out.str();
}

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

void write_culprit(std::ostream& out, const Culprit& culprit) {
  out << "{\"role\": " << quoted(culprit.role) << ", \"cta\": " << culprit.cta
      << ", \"warp\": " << culprit.warp << ", \"lane\": " << culprit.lane
      << ", \"file\": " << quoted(culprit.file) << ", \"line\": " << culprit.line << "}";
}

}  // namespace

std::string Report::json() const {
  std::ostringstream out;
  out << "{\"kind\": " << quoted(to_string(kind)) << ", \"kernel\": " << quoted(kernel);
  if (rule != nullptr) {
    out << ", \"rule\": {\"name\": " << quoted(rule->name)
        << ", \"basis\": " << quoted(to_string(rule->basis))
        << ", \"source\": " << quoted(rule->source) << ", \"text\": " << quoted(rule->text) << "}";
  }
  out << ", \"who\": ";
  write_culprit(out, *this);
  out << ", \"other\": ";
  if (other) {
    write_culprit(out, *other);
  } else {
    out << "null";
  }
  out << ", \"stage\": " << stage << ", \"what\": " << quoted(what)
      << ", \"cure\": " << quoted(cure) << ", \"situation\": " << quoted(situation)
      << ", \"seed\": " << seed << ", \"policy\": " << quoted(to_string(policy)) << "}";
  return out.str();
}

std::string Report::cause() const {
  const auto place = [](const Culprit& culprit) {
    return culprit.role + "@" + culprit.file + ":" + std::to_string(culprit.line);
  };
  // Which of the two comes first is the schedule's choice.
  std::string first = place(*this);
  std::string second = other ? place(*other) : "";
  if (second < first) {
    first.swap(second);
  }
  return std::string(rule != nullptr ? rule->name : to_string(kind)) + " " + first + " " + second;
}

std::string describe(const Thread& thread) {
  std::ostringstream out;
  out << (thread.role[0] == 0 ? "thread" : thread.role) << " (CTA " << thread.cta->linear
      << ", warp " << thread.warp->index << ", lane " << thread.lane << ")";
  return out.str();
}

std::string describe_barrier(const Cta& cta, std::uint32_t address) {
  const auto name = cta.mbarrier_names.find(address);
  if (name != cta.mbarrier_names.end()) {
    return name->second.text;
  }
  return "the mbarrier at shared address " + std::to_string(address);
}

const Region* region_of(const Cta& cta, std::uint32_t offset) {
  for (const Region& region : cta.regions) {
    if (offset >= region.begin && offset < region.end) {
      return &region;
    }
  }
  return nullptr;
}

int stage_of(const Cta& cta, std::uint32_t offset) {
  const Region* region = region_of(cta, offset);
  return region != nullptr ? region->stage : -1;
}

int stage_of_barrier(const Cta& cta, std::uint32_t address) {
  const auto name = cta.mbarrier_names.find(address);
  return name != cta.mbarrier_names.end() ? name->second.stage : -1;
}

Culprit culprit_of(const Site& site) {
  return {.role = site.role,
          .warp = static_cast<int>(site.warp),
          .cta = site.cta,
          .file = site.file,
          .line = site.line};
}

Culprit culprit_of(const Thread& thread) {
  return {.role = thread.role,
          .warp = static_cast<int>(thread.warp->index),
          .lane = static_cast<int>(thread.lane),
          .cta = thread.cta->linear,
          .file = thread.file,
          .line = thread.line};
}

std::string describe_place(const Cta& cta, std::uint32_t offset) {
  const Region* region = region_of(cta, offset);
  return region != nullptr ? region->name + " (byte " + std::to_string(offset - region->begin) + ")"
                           : "shared memory at offset " + std::to_string(offset);
}

}  // namespace warpline::simulator
