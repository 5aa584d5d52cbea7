// Kernels of rows against copies of the same bytes, and sums against CUB:
//
//   samples/run rows_bench [--op softmax --op rms_norm ...] [--json FILE]
//
// Every launch finds its memory outside of the L2 cache: sets of it are used in turn. A third
// column of figures, PyTorch's, is made by torch_rows.py on the same machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <optional>

#include "samples/rows_bench/measure.h"
#include "samples/support/gpu.h"
#include "samples/support/json_file.h"

int main(int argc, char** argv) {
  CLI::App app("Kernels of rows against copies, and sums against CUB");
  const std::vector<std::string> all = {"softmax",
                                        "softmax_backward",
                                        "cross_entropy",
                                        "cross_entropy_backward",
                                        "rms_norm",
                                        "rms_norm_backward",
                                        "layer_norm",
                                        "layer_norm_backward",
                                        "rms_norm_fp8",
                                        "sum",
                                        "argmax",
                                        "columns",
                                        "log_softmax_backward"};
  // The last one moves what another does.
  std::vector<std::string> operations(all.begin(), all.end() - 1);
  std::string json_path;
  int rounds = 9;
  double milliseconds = 2;
  app.add_option("--op", operations, "which")->check(CLI::IsMember(all));
  app.add_option("--json", json_path, "where the results go as JSON");
  app.add_option("--rounds", rounds, "timings of each contestant")->check(CLI::Range(1, 1000));
  app.add_option("--milliseconds", milliseconds, "of one timing")->check(CLI::Range(0.1, 1000.0));
  CLI11_PARSE(app, argc, argv);
  try {
    const std::string why = sample::why_no_gpu();
    if (!why.empty()) {
      fmt::print(stderr, "{}\n", why);
      return 2;
    }
#if WARPLINE_HAS_GPU
    std::optional<sample::JsonFile> file;
    if (!json_path.empty()) {
      file.emplace(json_path);
    }
    const nlohmann::ordered_json results =
        sample::rows::measure(operations, {.rounds = rounds, .milliseconds = milliseconds});
    if (file) {
      file->write(results);
    }
#endif
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
