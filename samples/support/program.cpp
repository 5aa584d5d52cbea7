#include "samples/support/program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "samples/support/usage_error.h"

namespace sample {

bool parse(CLI::App& app, int argc, char** argv, int& status) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    status = 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {} (see --help)\n", app.get_name(), error.what());
    status = 2;
  }
  return false;
}

int exit_status_of(const char* program, const std::function<int()>& run) {
  const auto complain = [program](const char* what) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", program, what);
  };
  try {
    return run();
  } catch (const UsageError& error) {
    complain(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    complain("out of host memory");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return 1;
}

}  // namespace sample
