// Kernels of rows against copies of the same bytes, and sums against CUB:
//
//   samples/run rows_bench [--op softmax --op rms_norm ...] [--shapes 4096x8192,...] [--json FILE]
//   samples/run rows_bench --op softmax --trace softmax.html
//
// Every launch finds its memory outside of the L2 cache: sets of it are used in turn. A third
// column of figures, PyTorch's, is made by torch_rows.py on the same machine. With --trace nothing
// is measured: one run is recorded, without a GPU on the simulator.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "samples/rows_bench/measure.h"
#include "samples/rows_bench/operations.h"
#include "samples/rows_bench/record.h"
#include "samples/support/gpu.h"
#include "samples/support/json_file.h"
#include "samples/support/options.h"
#include "samples/support/program.h"
#include "samples/support/usage_error.h"

namespace {

struct CommandLine {
  // All but the last, which moves what another does.
  std::vector<std::string> operations{sample::rows::operation_names().begin(),
                                      sample::rows::operation_names().end() - 1};
  std::string json;
  sample::rows::Effort effort;
  sample::TargetWish target = sample::TargetWish::automatic;
  sample::TraceOptions trace;
};

std::vector<sample::rows::Shape> shapes_of(const std::vector<std::string>& words) {
  std::vector<sample::rows::Shape> shapes;
  for (const std::string& word : words) {
    sample::rows::Shape shape{};
    int end = 0;
    const int found = std::sscanf(word.c_str(), "%ldx%ld%n", &shape.rows, &shape.columns, &end);
    constexpr std::int64_t most = std::int64_t{1} << 33;
    if (found != 2 || static_cast<std::size_t>(end) != word.size() || shape.rows < 1 ||
        shape.columns < 1 || shape.rows > most / shape.columns) {
      throw CLI::ValidationError("--shapes", "'" + word + "' is no shape such as 4096x8192");
    }
    shapes.push_back(shape);
  }
  return shapes;
}

int run(const CommandLine& line) {
  if (line.trace.wanted()) {
    if (line.operations.size() != 1) {
      throw sample::UsageError("--trace is of one kernel: choose one with --op");
    }
    sample::check_trace_files(line.trace);
    sample::rows::record(line.operations.front(), sample::takes_gpu(line.target), line.trace);
    return 0;
  }
  const std::string why = sample::why_no_gpu();
  if (line.target == sample::TargetWish::simulator || !why.empty()) {
    throw sample::UsageError("only a GPU can be measured; on the simulator --trace records" +
                             (why.empty() ? why : " (" + why + ")"));
  }
#if WARPLINE_HAS_GPU
  std::optional<sample::JsonFile> file;
  if (!line.json.empty()) {
    file.emplace(line.json);
  }
  const nlohmann::ordered_json results = sample::rows::measure(line.operations, line.effort);
  if (file) {
    file->write(results);
  }
#endif
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Kernels of rows against copies, and sums against CUB", "rows_bench");
  CommandLine line;
  app.add_option("--op", line.operations, "Which; several times for several")
      ->check(CLI::IsMember(sample::rows::operation_names()));
  app.add_option("--json", line.json, "Where the results go as JSON");
  app.add_option_function<std::vector<std::string>>(
         "--shapes",
         [&line](const std::vector<std::string>& words) { line.effort.shapes = shapes_of(words); },
         "Rows x columns instead of the suite: 4096x8192,1024x1024 (reductions have their own)")
      ->delimiter(',');
  app.add_option("--rounds", line.effort.rounds, "Timings of each contestant")
      ->check(CLI::Range(1, 1000));
  app.add_option("--milliseconds", line.effort.milliseconds, "Of one timing")
      ->check(CLI::Range(0.1, 1000.0));
  sample::add_target_option(app, line.target);
  sample::add_trace_options(app, line.trace);
  int status = 0;
  if (!sample::parse(app, argc, argv, status)) {
    return status;
  }
  return sample::exit_status_of("rows_bench", [&] { return run(line); });
}
