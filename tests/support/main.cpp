// The main function of every test program. Its exit status: 0 if nothing failed, 1 if something did
// and, under CTest, 4 if all that ran was skipped (both versions of Catch2 otherwise return the
// number of failed assertions, and four of those are no skip).
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#define CATCH_CONFIG_RUNNER
#endif
#include <cstdlib>
#include <iostream>
#include <optional>

#include "tests/support/catch.h"

namespace {

struct Outcome {
  bool failed = false;
  bool all_skipped = false;
};

std::optional<Outcome> outcome;  // none if the program only listed its tests

#if __has_include(<catch2/catch_session.hpp>)
using Listener = Catch::EventListenerBase;
std::size_t count_skipped(const Catch::Totals& totals) { return totals.testCases.skipped; }
#else
using Listener = Catch::TestEventListenerBase;
std::size_t skipped = 0;
std::size_t count_skipped(const Catch::Totals& /*totals*/) { return skipped; }
#endif

struct OutcomeListener : Listener {
  using Listener::Listener;
  void testRunEnded(const Catch::TestRunStats& run) override {
    const auto& cases = run.totals.testCases;
    outcome =
        Outcome{.failed = cases.failed > 0 || run.aborting,
                .all_skipped = cases.total() > 0 && cases.total() == count_skipped(run.totals)};
  }
};
CATCH_REGISTER_LISTENER(OutcomeListener)

}  // namespace

#if !__has_include(<catch2/catch_session.hpp>)
void warpline::tests::note_skipped(const std::string& reason) {
  ++skipped;
  std::cout << "SKIPPED: " << reason << '\n';
}
#endif

#if defined(__SANITIZE_ADDRESS__)
// A simulation that finds a fault leaves its fibers in the middle, with what their frames own.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";
}
#endif

int main(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  if (!outcome) {
    return status;
  }
  if (outcome->failed) {
    return EXIT_FAILURE;
  }
  constexpr int skip_status = 4;
  return outcome->all_skipped && std::getenv("WARPLINE_UNDER_CTEST") != nullptr ? skip_status
                                                                                : EXIT_SUCCESS;
}
