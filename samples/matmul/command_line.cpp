#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>

namespace sample {

namespace {

/// Digits, few enough to be a number: CLI11 alone takes "", hexadecimal and what overflows.
CLI::Validator decimal(bool may_be_negative) {
  const auto wrong = [may_be_negative](const std::string& text) -> std::string {
    const std::size_t sign = may_be_negative && text.starts_with('-') ? 1 : 0;
    const std::string digits = text.substr(sign);
    const bool number = !digits.empty() && digits.size() <= 18 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    return number ? "" : "'" + text + "' is not a whole number of at most 18 digits";
  };
  return {wrong, "NUMBER"};
}

void add_sizes(CLI::App& app, CommandLine& line) {
  app.add_option("--m", line.m, "Rows of A and C (8192 on a GPU, 512 on the simulator)")
      ->check(decimal(true));
  app.add_option("--n", line.n, "Rows of B, columns of C")->check(decimal(true));
  app.add_option("--k", line.k, "Columns of A and B")->check(decimal(true));
  app.add_option("--seed", line.seed, "Of the inputs, and of the simulator's first schedule")
      ->check(decimal(false));
}

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
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv, int& status) {
  CLI::App app("C = A * B^T in fp16 with a warp-specialised kernel, on a GPU or on the simulator",
               "matmul");
  CommandLine line;
  add_sizes(app, line);
  add_kernel(app, line);
  add_work(app, line);

  const std::map<std::string, TargetWish> targets{{"auto", TargetWish::automatic},
                                                  {"gpu", TargetWish::gpu},
                                                  {"simulator", TargetWish::simulator}};
  std::string target = "auto";
  app.add_option("--target", target, "auto, gpu or simulator; auto takes a GPU if there is one")
      ->check(CLI::IsMember(targets));
  using warpline::simulator::Policy;
  const std::map<std::string, Policy> policies{
      {"fair", Policy::fair}, {"random", Policy::random}, {"adversarial", Policy::adversarial}};
  std::string policy = "random";
  app.add_option("--policy", policy, "Simulator: fair, random or adversarial order of everything")
      ->check(CLI::IsMember(policies));
  app.add_option("--schedules", line.schedules, "Simulator: runs, each with the next seed")
      ->check(CLI::Range(1, 1'000'000));
  std::string vendor = "gemmex";
  app.add_option("--vendor", vendor,
                 "Compare with cublasGemmEx or with cublasLt's best of 8: gemmex, lt")
      ->check(CLI::IsMember({"gemmex", "lt"}));

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    status = 0;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "matmul: {} (see --help)\n", error.what());
    status = 2;
    return std::nullopt;
  }
  line.target = targets.at(target);
  if (line.bench && line.target == TargetWish::simulator) {
    fmt::print(stderr, "matmul: --bench times the GPU; it cannot go with --target simulator\n");
    status = 2;
    return std::nullopt;
  }
  line.policy = policies.at(policy);
  line.vendor_lt = vendor == "lt";
  return line;
}

}  // namespace sample
