// Catch2, version 2.13 (one header) or 3: tests include this and need not know which.
//
// Differences to mind: matchers are Catch::Matchers::ContainsSubstring and so on as in version 3,
// and SKIP("why" << x) stands in the body of a test case, not in a function or lambda that it
// calls.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#else

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

namespace Catch {
using Detail::Approx;
}  // namespace Catch

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers

namespace warpline::tests {
/// Prints the reason and remembers that the running test case was skipped. Defined in main.cpp.
void note_skipped(const std::string& reason);
}  // namespace warpline::tests

#define SKIP(...)                                  \
  do {                                             \
    std::ostringstream reason;                     \
    reason << __VA_ARGS__;                         \
    ::warpline::tests::note_skipped(reason.str()); \
    return;                                        \
  } while (false)

#endif
