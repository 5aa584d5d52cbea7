// The matmul sample: C = A * B^T with a kernel of the catalog, on a GPU or on the simulator;
// checked, and on a GPU timed. Exit status: 0 if the result is correct, 1 if not or if something
// failed, 2 if the command line is wrong.
#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "command_line.h"
#include "json_report.h"
#include "kernel_choice.h"
#include "report.h"
#include "samples/support/json_file.h"
#include "samples/support/program.h"
#include "samples/support/target.h"
#include "samples/support/usage_error.h"
#include "warpline/error.h"

namespace sample {

namespace {

using warpline::MatmulKernel;

const std::vector<MatmulKernel>& catalog_of(bool on_gpu) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    return warpline::gpu_matmul_kernels();
  }
#endif
  (void)on_gpu;
  return warpline::simulator_matmul_kernels();
}

Job job_of(const CommandLine& line, bool on_gpu, const MatmulKernel& kernel) {
  const std::int64_t usual = on_gpu ? 8192 : 512;
  const auto or_static = [&](int fixed) { return fixed != 0 ? fixed : usual; };
  Job job{.size = {.m = line.size.m.value_or(usual),
                   .n = line.size.n.value_or(or_static(kernel.static_n)),
                   .k = line.size.k.value_or(or_static(kernel.static_k))},
          .seed = line.seed,
          .check = line.check,
          .policies = line.place.policies,
          .schedules = line.place.schedules,
          .strict = line.place.strict,
          .trace = line.place.trace,
          .bench = line.bench && on_gpu,
          .vendor_lt = line.place.vendor_lt,
          .pairs = line.pairs.value_or(line.sweep ? 12 : 50),
          .load_seconds = line.sweep ? 0.5 : 2.0};
  require_sensible(job.size);
  return job;
}

bool suits(const MatmulKernel& kernel, const Size& size) {
  return (kernel.static_n == 0 || kernel.static_n == size.n) &&
         (kernel.static_k == 0 || kernel.static_k == size.k);
}

/// Prints what is wrong with a result, and says whether nothing is.
bool accept(const Result& result) {
  std::fflush(stdout);
  if (!result.complaint.empty()) {
    fmt::print(stderr, "matmul: {} ({}) is wrong: {}\n", result.kernel->name,
               tile_of(*result.kernel), result.complaint);
  }
  return result.correct.value_or(true);
}

/// The simulator's reports of a run that it ended, as JSON.
using Reports = nlohmann::ordered_json;

/// Prints the faults that were found, and keeps them.
void note(const FaultsFound& faults, const MatmulKernel& kernel, Reports& reports) {
  std::fflush(stdout);
  fmt::print(stderr, "matmul: {} ({}): {}\n", kernel.name, tile_of(kernel), faults.what());
  for (const auto& report : faults.found.reports) {
    reports.push_back(Reports::parse(report.json()));
  }
}

bool run_one(Runner& runner, const MatmulKernel& kernel, nlohmann::ordered_json& json,
             Reports& reports) {
  try {
    const Result result = runner.run(kernel, 0);
    fmt::print("{}", report_of(result, runner.place()));
    json = json_of(result);
    return accept(result);
  } catch (const FaultsFound& faults) {
    note(faults, kernel, reports);
    return false;
  }
}

/// One kernel that cannot run does not keep the others from it.
bool run_all(Runner& runner, const std::vector<const MatmulKernel*>& kernels, const Size& size,
             nlohmann::ordered_json& json, Reports& reports) {
  fmt::print("{}: M = {}, N = {}, K = {}\n", runner.place(), size.m, size.n, size.k);
  json = nlohmann::ordered_json::array();
  bool all_correct = true;
  for (const MatmulKernel* kernel : kernels) {
    if (!suits(*kernel, size)) {
      continue;
    }
    try {
      const Result result = runner.run(*kernel, 0);
      fmt::print("{}{}", json.empty() ? sweep_head(result) : "", sweep_line(result));
      json.push_back(json_of(result));
      all_correct = accept(result) && all_correct;
    } catch (const FaultsFound& faults) {
      note(faults, *kernel, reports);
      all_correct = false;
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "matmul: {} ({}): {}\n", kernel->name, tile_of(*kernel), error.what());
      all_correct = false;
    }
  }
  return all_correct;
}

int run(const CommandLine& line) {
  if (line.list) {
    fmt::print("{}", list_of(catalog_of(false)));
    return 0;
  }
  if (line.describe) {
    fmt::print("{}", choose_kernel(catalog_of(false), line.kernel).describe());
    return 0;
  }
  if (line.sweep && line.place.trace.wanted()) {
    throw UsageError("--trace is of one kernel: it cannot go with --sweep");
  }
  check_trace_files(line.place.trace);
  std::optional<JsonFile> file;
  if (line.json) {
    file.emplace(*line.json);
  }
  std::optional<JsonFile> reports_file;
  if (line.reports) {
    reports_file.emplace(*line.reports);
  }
  const bool on_gpu = takes_gpu(line.place.target);
  const std::vector<MatmulKernel>& catalog = catalog_of(on_gpu);
  const auto kernels = line.sweep
                           ? all_kernels(catalog, line.kernel)
                           : std::vector<const MatmulKernel*>{&choose_kernel(catalog, line.kernel)};
  const Job job = job_of(line, on_gpu, *kernels.front());
  const auto runner = make_runner(on_gpu, job);
  for (const std::string& note : runner->notes()) {
    fmt::print("{}\n", note);
  }
  if (line.bench && !on_gpu) {
    fmt::print("not timed: --bench is for the GPU\n");
  }
  nlohmann::ordered_json json;
  Reports reports = Reports::array();
  const bool correct = line.sweep ? run_all(*runner, kernels, job.size, json, reports)
                                  : run_one(*runner, *kernels.front(), json, reports);
  if (file && !json.is_null()) {
    file->write(json);
  }
  if (reports_file) {
    reports_file->write(reports);
  }
  constexpr int faults_status = 3;
  return !reports.empty() ? faults_status : correct ? 0 : 1;
}

}  // namespace

}  // namespace sample

int main(int argc, char** argv) {
  int status = 0;
  const auto line = sample::parse_command_line(argc, argv, status);
  return sample::exit_status_of("matmul", line, status, sample::run);
}
