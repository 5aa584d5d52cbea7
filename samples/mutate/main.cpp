// The mutation tool: does the simulator report whatever can be wrong with the synchronisation of
// the shipped kernels? Exit status: 0 if every mutant was reported or is equivalent, 1 if one was
// not or if something failed, 2 if the command line is wrong.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "command_line.h"
#include "json_report.h"
#include "samples/support/json_file.h"
#include "samples/support/program.h"
#include "samples/support/timeline.h"
#include "samples/support/usage_error.h"
#include "simulator/mutation.h"
#include "simulator/recording.h"
#include "subject.h"

namespace sample {

namespace {

using warpline::simulator::MutationReport;
using warpline::simulator::Outcome;

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  for (const auto family :
       {array_subjects, ladder_subjects, matmul_subjects, persistent_subjects, row_subjects,
        norm_subjects, norm_gradient_subjects, reduction_subjects}) {
    std::vector<Subject> more = family();
    std::move(more.begin(), more.end(), std::back_inserter(subjects));
  }
  return subjects;
}

std::string family_of(const Subject& subject) {
  return subject.name.substr(0, subject.name.find('/'));
}

std::vector<Subject> chosen(const CommandLine& line) {
  std::vector<Subject> subjects = all_subjects();
  std::vector<std::string> families;
  std::erase_if(subjects, [&](const Subject& subject) {
    if (!line.kernels.empty()) {
      return std::none_of(line.kernels.begin(), line.kernels.end(), [&](const std::string& part) {
        return subject.name.find(part) != std::string::npos;
      });
    }
    const std::string family = family_of(subject);
    const bool fresh = std::find(families.begin(), families.end(), family) == families.end();
    families.push_back(family);
    return !line.all && !line.list && !fresh;
  });
  return subjects;
}

/// Whether a kernel as it is passes all schedules.
bool run_unchanged(const Subject& subject, const CommandLine& line) {
  using warpline::simulator::Policy;
  constexpr std::array policies = {Policy::fair, Policy::random, Policy::adversarial,
                                   Policy::priorities};
  for (std::size_t i = 0; i < static_cast<std::size_t>(line.schedules); ++i) {
    const warpline::simulator::Options options{.seed = 1 + i / policies.size(),
                                               .policy = policies[i % policies.size()]};
    std::string trouble;
    try {
      trouble = subject.run(options) ? "" : "its result is wrong";
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    if (!trouble.empty()) {
      fmt::print("{}: seed {}, policy {}: {}\n", subject.name, options.seed,
                 to_string(options.policy), trouble);
      return false;
    }
  }
  fmt::print("{}: right and without a report under {} schedules\n", subject.name, line.schedules);
  std::fflush(stdout);
  return true;
}

/// False if something was not reported that should have been.
bool mutate_one(const Subject& subject, const CommandLine& line, nlohmann::ordered_json& json) {
  const auto start = std::chrono::steady_clock::now();
  const MutationReport report = warpline::simulator::mutate(
      subject.run, {.schedules = line.schedules, .explain = subject.explain});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  using Outcomes = std::vector<Outcome>;
  const Outcomes shown = line.verbose ? Outcomes{Outcome::wrong_result, Outcome::survived,
                                                 Outcome::equivalent, Outcome::reported}
                                      : Outcomes{Outcome::wrong_result, Outcome::survived};
  fmt::print("{:<44} {:>5} {:>8} {:>9} {:>11} {:>6} {:>9} {:>7.1f} % {:>8.1f}\n", subject.name,
             report.sites.size(), report.mutants.size(), report.count(Outcome::reported),
             report.count(Outcome::equivalent), report.count(Outcome::wrong_result),
             report.count(Outcome::survived), 100 * report.score(), seconds);
  fmt::print("{}", report.lines(shown));
  std::fflush(stdout);
  json.push_back(json_of(subject.name, report));
  return report.count(Outcome::wrong_result) == 0 && report.count(Outcome::survived) == 0;
}

/// The kernel as it is, once, in the order of the virtual clock.
void record(const Subject& subject, const TraceOptions& options) {
  warpline::simulator::TimelineRecording recording;
  if (!subject.run(traced_options(options, 1, recording))) {
    throw std::runtime_error(subject.name + ": its result is wrong");
  }
  report_trace(options, recording.take());
  std::fflush(stdout);
}

int run(const CommandLine& line) {
  const std::vector<Subject> subjects = chosen(line);
  if (line.list) {
    for (const Subject& subject : subjects) {
      fmt::print("{}\n", subject.name);
    }
    return 0;
  }
  if (subjects.empty()) {
    fmt::print(stderr, "mutate: no kernel has that in its name: --list prints them\n");
    return 2;
  }
  if (line.trace.wanted()) {
    if (subjects.size() != 1) {
      throw UsageError(fmt::format(
          "--trace is of one kernel: choose one with --kernel ({} are chosen)", subjects.size()));
    }
    check_trace_files(line.trace);
    record(subjects.front(), line.trace);
  }
  if (line.unchanged) {
    return std::all_of(subjects.begin(), subjects.end(),
                       [&](const Subject& subject) { return run_unchanged(subject, line); })
               ? 0
               : 1;
  }
  std::optional<JsonFile> file;
  if (line.json) {  // before the work: a wrong name must not cost it
    file.emplace(*line.json);
  }
  fmt::print("{:<44} {:>5} {:>8} {:>9} {:>11} {:>6} {:>9} {:>9} {:>8}\n", "kernel", "sites",
             "mutants", "reported", "equivalent", "wrong", "survived", "score", "seconds");
  bool all_found = true;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Subject& subject : subjects) {
    all_found = mutate_one(subject, line, json) && all_found;
  }
  if (file) {
    file->write(json);
  }
  return all_found ? 0 : 1;
}

}  // namespace

}  // namespace sample

int main(int argc, char** argv) {
  int status = 0;
  const auto line = sample::parse_command_line(argc, argv, status);
  return sample::exit_status_of("mutate", line, status, sample::run);
}
