// The ladder: six versions of one matmul, checked on a GPU or on the simulator, and on a GPU timed
// and tuned. Exit status: 0 if all results are correct, 1 if not or if something failed, 2 if the
// command line is wrong.
#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "samples/ladder/catalog.h"
#include "samples/ladder/command_line.h"
#include "samples/ladder/plan.h"
#include "samples/ladder/report.h"
#include "samples/ladder/shapes.h"
#include "samples/ladder/tune.h"
#include "samples/ladder/tuning.h"
#include "samples/support/json_file.h"
#include "samples/support/program.h"
#include "samples/support/target.h"
#include "samples/support/usage_error.h"
#include "warpline/error.h"

namespace ladder {

namespace {

using warpline::MatmulKernel;

const std::vector<MatmulKernel>& catalog_of(bool on_gpu) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    return gpu_kernels();
  }
#endif
  (void)on_gpu;
  return simulator_kernels();
}

/// Of all versions those that have what the filter asks for; of one that one, for better or worse.
std::vector<int> versions_of(const CommandLine& line, bool on_gpu) {
  if (line.version) {
    return {*line.version};
  }
  std::vector<int> found;
  for (int version = 0; version < versions; ++version) {
    if (exists(catalog_of(on_gpu), version, line.filter)) {
      found.push_back(version);
    }
  }
  if (found.empty()) {
    throw sample::UsageError("no configuration that is built is of that kind; --list has them");
  }
  return found;
}

sample::Job job_of(const CommandLine& line, bool on_gpu) {
  const std::int64_t usual = on_gpu ? 8192 : 512;
  sample::Job job{.size = {line.size.m.value_or(usual), line.size.n.value_or(usual),
                           line.size.k.value_or(usual)},
                  .seed = line.seed,
                  .policies = line.place.policies,
                  .schedules = line.place.schedules,
                  .strict = line.place.strict,
                  .trace = line.place.trace,
                  .bench = line.bench && on_gpu,
                  .vendor_lt = line.place.vendor_lt,
                  .pairs = line.pairs,
                  .sustained = line.sustained};
  require_sensible(job.size);
  return job;
}

/// Prints what is wrong with a result, and says whether nothing is.
bool accept(int version, const Candidate& candidate, const sample::Result& result) {
  if (!result.complaint.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "ladder: v{} ({}) is wrong: {}\n", version, to_string(candidate),
               result.complaint);
  }
  return result.correct.value_or(true);
}

/// --shapes: every built configuration of the versions asked for, on every shape of the set.
bool check_shapes(const CommandLine& line, bool on_gpu) {
  bool all_correct = true;
  for (const int version : versions_of(line, on_gpu)) {
    for (const Candidate& candidate : candidates(catalog_of(on_gpu), version, line.filter)) {
      const std::vector<Shape> shapes =
          part_of(shapes_of(*line.shapes, *candidate.kernel, line.seed), line.part, line.parts);
      int wrong = 0;
      for (const Shape& shape : shapes) {
        sample::Job job = job_of(line, on_gpu);
        job.size = {shape.m, shape.n, shape.k};
        try {
          const auto result =
              sample::make_runner(on_gpu, job)->run(*candidate.kernel, candidate.raster);
          wrong += accept(version, candidate, result) ? 0 : 1;
        } catch (const std::runtime_error& error) {  // Error, FaultsFound
          std::fflush(stdout);
          fmt::print(stderr, "ladder: v{} ({}), M = {}, N = {}, K = {}: {}\n", version,
                     to_string(candidate), shape.m, shape.n, shape.k, error.what());
          ++wrong;
        }
      }
      fmt::print("v{}  {:<42} {} of {} shapes correct\n", version, to_string(candidate),
                 shapes.size() - static_cast<std::size_t>(wrong), shapes.size());
      std::fflush(stdout);
      all_correct = all_correct && wrong == 0;
    }
  }
  return all_correct;
}

std::vector<warpline::tuner::CacheEntry> cached(const CommandLine& line, bool on_gpu) {
  if (line.no_cache || !on_gpu) {
    return {};
  }
  if (!line.cache && warpline::tuner::default_cache().empty()) {
    return {};  // nothing was ever stored
  }
  auto contents = warpline::tuner::read_cache(cache_file(line));
  if (!contents.complaint.empty()) {
    fmt::print(stderr, "ladder: {}\n", contents.complaint);
  }
  return std::move(contents.entries);
}

/// Tunes if asked to, else picks.
class Choosing {
 public:
  Choosing(const CommandLine& line, bool on_gpu, const sample::Size& size)
      : line_(&line), on_gpu_(on_gpu), size_(size), place_(place_of(on_gpu)) {
    if (line.tune) {
      if (size.m == 0 || size.n == 0 || size.k == 0) {
        throw sample::UsageError("--tune: there is nothing to time if M, N or K is 0");
      }
      if (const std::string missing = what_is_missing(catalog_of(true)); !missing.empty()) {
        fmt::print("{}\n", missing);
      }
      if (!line.no_cache) {
        cache_file(line);  // a wrong name shall not cost the time
      }
    } else {
      entries_ = cached(line, on_gpu);
    }
  }

  const Place& place() const { return place_; }
  /// --judge-race: whether one did not keep its promises.
  bool bad_race() const { return bad_race_; }

  Picked for_version(int version) {
    const auto all = candidates(catalog_of(on_gpu_), version, line_->filter);
#if WARPLINE_HAS_GPU
    if (line_->tune) {
      if (!problem_) {
        problem_.emplace(size_, line_->seed);
      }
      return tune(*line_, place_, version, size_, all, *problem_, bad_race_);
    }
#endif
    return pick(place_, version, size_, line_->load, all, entries_, !line_->filter.open());
  }

 private:
  const CommandLine* line_;
  bool on_gpu_;
  sample::Size size_;
  Place place_;
  std::vector<warpline::tuner::CacheEntry> entries_;
  bool bad_race_ = false;
#if WARPLINE_HAS_GPU
  std::optional<TuningProblem> problem_;
#endif
};

bool run_versions(const CommandLine& line, bool on_gpu) {
  std::optional<sample::JsonFile> file;
  if (line.json) {
    file.emplace(*line.json);
  }
  const sample::Job job = job_of(line, on_gpu);
  check_trace_files(job.trace);
  Choosing choosing(line, on_gpu, job.size);
  // Tuned first, all of them: then the versions are compared under the same conditions.
  std::vector<std::pair<int, Picked>> picked;
  for (const int version : versions_of(line, on_gpu)) {
    picked.emplace_back(version, choosing.for_version(version));
  }
  if (job.trace.wanted() && picked.size() != 1) {
    throw sample::UsageError("--trace is of one kernel: choose one with --version");
  }
  const auto runner = sample::make_runner(on_gpu, job);
  for (const std::string& note : runner->notes()) {
    fmt::print("{}\n", note);
  }
  fmt::print("C[{},{}] = A[{},{}] * B[{},{}]^T, fp16, on {}\n{}", job.size.m, job.size.n,
             job.size.m, job.size.k, job.size.n, job.size.k, runner->place(), head(job.bench));
  std::vector<Report> reports;
  bool all_correct = true;
  for (const auto& [version, choice] : picked) {
    try {
      reports.push_back(
          {version, choice, runner->run(*choice.candidate.kernel, choice.candidate.raster)});
      fmt::print("{}", line_of(reports.back()));
      std::fflush(stdout);
      all_correct = accept(version, choice.candidate, reports.back().result) && all_correct;
    } catch (const std::runtime_error& error) {  // Error, FaultsFound
      std::fflush(stdout);
      fmt::print(stderr, "ladder: v{} ({}): {}\n", version, to_string(choice.candidate),
                 error.what());
      all_correct = false;
    }
  }
  if (file) {
    file->write(json_of(reports, choosing.place(), job.size));
  }
  return all_correct && !choosing.bad_race();
}

int show_or_clear_cache(const CommandLine& line) {
  const auto file = cache_file(line);
  if (line.clear_cache) {
    const std::string why = warpline::tuner::clear_cache(file);
    if (!why.empty()) {
      throw warpline::Error(why);
    }
    fmt::print("{} is empty\n", file.string());
    return 0;
  }
  const auto contents = warpline::tuner::read_cache(file);
  if (!contents.complaint.empty()) {
    fmt::print(stderr, "ladder: {}\n", contents.complaint);
  }
  fmt::print("{}: {} entries\n{}", file.string(), contents.entries.size(),
             warpline::tuner::to_string(contents.entries));
  return 0;
}

int run(const CommandLine& line) {
  if (line.show_cache || line.clear_cache) {
    return show_or_clear_cache(line);
  }
  if (line.list) {
    const bool simulator = line.place.target == sample::TargetWish::simulator;
    fmt::print("{}", list_of(catalog_of(WARPLINE_HAS_GPU != 0 && !simulator)));
    return 0;
  }
  if (line.tune || line.bench) {
    if (const std::string why_not = sample::why_no_gpu(); !why_not.empty()) {
      throw warpline::Error(
          fmt::format("--{} needs a GPU: {}", line.tune ? "tune" : "bench", why_not));
    }
  }
  const bool on_gpu = sample::takes_gpu(line.place.target);
  const bool correct = line.shapes ? check_shapes(line, on_gpu) : run_versions(line, on_gpu);
  return correct ? 0 : 1;
}

}  // namespace

}  // namespace ladder

int main(int argc, char** argv) {
  int status = 0;
  const auto line = ladder::parse_command_line(argc, argv, status);
  return sample::exit_status_of("ladder", line, status, ladder::run);
}
