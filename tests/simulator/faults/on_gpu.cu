// The catalogue's faults on a GPU: one process runs one of them.
//
//   warpline_fault_on_gpu --list             name, rule, and why it is not run here, if it is not
//   warpline_fault_on_gpu NAME               the fault, against the results of its twin
//   warpline_fault_on_gpu NAME --alone       the fault, for a tool that watches
//   warpline_fault_on_gpu NAME --twin        the correct twin alone
//
// The last line is `right`, `wrong` or `error: ...`. A fault may hang: who starts it ends it.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "tests/simulator/faults/data.h"
#include "tests/simulator/faults/registry.h"

namespace {

using namespace warpline;  // NOLINT(google-build-using-namespace)
using tests::Fault;

constexpr int runs = 20;

std::vector<int32_t> results_of(const Fault& fault, tests::FaultData& data, bool faulty) {
  return data.results([&](const tests::FaultArguments& arguments) {
    fault.run(Stream{}, arguments, faulty);
    synchronize(Stream{});
  });
}

/// What is seen without a tool.
std::string outcome(const Fault& fault) {
  tests::FaultData data;
  const std::vector<int32_t> expected = results_of(fault, data, false);
  for (int run = 0; run < runs; ++run) {
    if (results_of(fault, data, true) != expected) {
      return "wrong";
    }
  }
  return "right";
}

int run(const Fault& fault, const std::string& mode) {
  try {
    if (mode.empty()) {
      std::puts(outcome(fault).c_str());
    } else {
      tests::FaultData data;
      results_of(fault, data, mode == "--alone");
      std::puts("right");
    }
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::string mode = argc > 2 ? argv[2] : "";
  for (const Fault& fault : tests::all_faults()) {
    const char* const reason = fault.info.not_on_gpu;
    if (name == "--list") {
      std::printf("%s\t%s\t%s\n", fault.info.name, fault.info.seen.rule,
                  reason != nullptr ? reason : "");
    } else if (name == fault.info.name) {
      if (reason != nullptr) {
        std::printf("error: not on a GPU: %s\n", reason);
        return 2;
      }
      return run(fault, mode);
    }
  }
  if (name != "--list") {
    std::fprintf(stderr, "warpline_fault_on_gpu: there is no fault '%s' (see --list)\n",
                 name.c_str());
    return 2;
  }
  return 0;
}
