// The benchmark program: a subcommand for each family of kernels, each in its own folder.
#include <fmt/core.h>

#include <string_view>

#include "samples/bench/matmul/program.h"

namespace {

struct Subcommand {
  std::string_view name;
  std::string_view about;
  int (*run)(int argc, char** argv);
};

constexpr Subcommand subcommands[] = {
    {"matmul", "warpline::matmul beside cuBLASLt, on a suite of shapes", bench::matmul_main},
};

void help() {
  fmt::print("Usage: bench SUBCOMMAND [options]; `bench SUBCOMMAND --help` has the options\n\n");
  for (const Subcommand& subcommand : subcommands) {
    fmt::print("  {:<10}{}\n", subcommand.name, subcommand.about);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h") {
    help();
    return argc > 1 ? 0 : 2;
  }
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.name == name) {
      return subcommand.run(argc - 1, argv + 1);
    }
  }
  fmt::print(stderr, "bench: there is no subcommand '{}'; --help has them\n", name);
  return 2;
}
