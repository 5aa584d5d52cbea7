#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "samples/support/program.h"

namespace sample {

namespace {

void add_kernel(CLI::App& app, CommandLine& line) {
  app.add_flag("--list", line.list, "Print the kernels and their tiles, and stop");
  app.add_option("--kernel", line.kernel.name, "Kernel, by its name in --list")
      ->capture_default_str();
  app.add_option("--stages", line.kernel.stages, "Stages of the kernel's pipeline");
  app.add_option("--block-m", line.kernel.block_m, "Rows of a CTA's tile of C");
  app.add_option("--block-n", line.kernel.block_n, "Columns of a CTA's tile of C");
  app.add_option("--block-k", line.kernel.block_k, "Columns of A and B in one stage");
  app.add_flag("--describe", line.describe, "Print the kernel's plan, and stop");
}

void add_work(CLI::App& app, CommandLine& line) {
  app.add_flag("--check,!--no-check", line.check,
               "Compare with fp64 (default), and on a GPU with cuBLAS");
  app.add_flag("--bench", line.bench, "Time the kernel on the GPU, in turns with cuBLAS");
  app.add_option("--pairs", line.pairs, "Pairs of timings (50; 12 with --sweep)")
      ->check(CLI::Range(1, 10000));
  app.add_flag("--sweep", line.sweep,
               "One line for each kernel that the options above leave open, variants included");
  app.add_option("--json", line.json, "Write the result to this file (with --sweep, an array)");
  app.add_option("--reports", line.reports,
                 "Simulator: write the faults to this file, an array with one for each cause");
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status) {
  CLI::App app("C = A * B^T in fp16 with a warp-specialised kernel, on a GPU or on the simulator",
               "matmul");
  CommandLine line;
  add_size_options(app, line.size);
  app.add_option("--seed", line.seed, "Of the inputs, and of the simulator's first schedule")
      ->check(decimal(false));
  add_kernel(app, line);
  add_work(app, line);

  add_place_options(app, line.place);

  if (!parse(app, argc, argv, status)) {
    return std::nullopt;
  }
  if (line.bench && line.place.target == TargetWish::simulator) {
    fmt::print(stderr, "matmul: --bench times the GPU; it cannot go with --target simulator\n");
    status = 2;
    return std::nullopt;
  }
  return line;
}

}  // namespace sample
