// What a plain call uses.
#include "tuner/choose.h"

#include <cmath>

#include "tests/support/catch.h"

namespace warpline::tuner::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

Values problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{"m", m}, {"n", n}, {"k", k}};
}

CacheEntry won(const Values& shape, std::int64_t stages, const std::string& driver = "1",
               const std::string& date = "2026-01-01") {
  return {.key = {"H200", driver, "v4", shape},
          .configuration = {{"stages", stages}},
          .milliseconds = 1,
          .date = date};
}

std::int64_t stages_of(const Chosen& chosen) { return chosen.configuration.at(0).second; }

const Values guess{{"stages", 99}};

Chosen ask(const std::vector<CacheEntry>& entries, const Values& shape,
           const std::string& gpu = "H200", const std::string& kernel = "v4") {
  return choose(
      entries, {gpu, "1", kernel, shape}, [](const Values&) { return true; }, guess);
}

TEST_CASE("choose: distance is that of logarithms") {
  CHECK(distance(problem(8, 8, 8), problem(8, 8, 8)) == 0);
  CHECK_THAT(distance(problem(8, 8, 8), problem(16, 8, 8)), WithinAbs(std::log(2), 1e-12));
  CHECK_THAT(distance(problem(8, 8, 8), problem(4, 8, 8)), WithinAbs(std::log(2), 1e-12));
  CHECK_THAT(distance(problem(1, 1, 1), problem(2, 2, 1)),
             WithinAbs(std::log(2) * std::sqrt(2), 1e-12));
  CHECK(distance(problem(0, 8, 8), problem(1, 8, 8)) == 0);
  CHECK(std::isinf(distance(problem(1, 1, 1), {{"m", 1}, {"n", 1}})));
  CHECK(std::isinf(distance(problem(1, 1, 1), {{"m", 1}, {"n", 1}, {"batch", 1}})));
  CHECK(distance({{"k", 3}, {"m", 1}, {"n", 2}}, problem(1, 2, 3)) == 0);
}

TEST_CASE("choose: exact, else nearest, else the guess") {
  const std::vector<CacheEntry> entries{won(problem(512, 512, 512), 2),
                                        won(problem(8192, 8192, 8192), 4),
                                        won(problem(8192, 8192, 64), 5)};
  CHECK(ask(entries, problem(8192, 8192, 8192)).source == Source::exact);
  CHECK(stages_of(ask(entries, problem(8192, 8192, 8192))) == 4);
  CHECK(ask(entries, problem(4096, 4096, 4096)).source == Source::nearest);
  CHECK(stages_of(ask(entries, problem(4096, 4096, 4096))) == 4);
  CHECK(stages_of(ask(entries, problem(1024, 1024, 1024))) == 2);
  CHECK(stages_of(ask(entries, problem(8192, 8192, 128))) == 5);
  CHECK(ask({}, problem(1, 1, 1)).source == Source::heuristic);
  CHECK(stages_of(ask({}, problem(1, 1, 1))) == 99);
}

TEST_CASE("choose: another GPU's or kernel's winners do not count") {
  const std::vector<CacheEntry> entries{won(problem(512, 512, 512), 2)};
  CHECK(ask(entries, problem(512, 512, 512), "H100").source == Source::heuristic);
  CHECK(ask(entries, problem(512, 512, 512), "H200", "v5").source == Source::heuristic);
}

TEST_CASE("choose: another driver's winner is near, not exact") {
  const std::vector<CacheEntry> entries{won(problem(512, 512, 512), 2, "0"),
                                        won(problem(1024, 512, 512), 3, "1")};
  const Chosen chosen = ask(entries, problem(512, 512, 512));
  CHECK(chosen.source == Source::nearest);
  CHECK(stages_of(chosen) == 2);
  REQUIRE(chosen.entry.has_value());
  CHECK(chosen.entry->key.driver == "0");
  CHECK(stages_of(ask({won(problem(512, 512, 512), 2, "0"), won(problem(512, 512, 512), 6)},
                      problem(512, 512, 512))) == 6);
}

TEST_CASE("choose: of equally near ones the latest") {
  const std::vector<CacheEntry> entries{won(problem(256, 512, 512), 2, "1", "2026-01-02"),
                                        won(problem(1024, 512, 512), 3, "1", "2026-01-03"),
                                        won(problem(512, 256, 512), 4, "1", "2026-01-01")};
  CHECK(stages_of(ask(entries, problem(512, 512, 512))) == 3);
}

TEST_CASE("choose: a winner that is no longer built is passed over, and named") {
  const std::vector<CacheEntry> entries{won(problem(512, 512, 512), 7),
                                        won(problem(2048, 512, 512), 3)};
  const auto exists = [](const Values& configuration) { return configuration.at(0).second != 7; };
  const CacheKey key{"H200", "1", "v4", problem(512, 512, 512)};
  const Chosen chosen = choose(entries, key, exists, guess);
  CHECK(chosen.source == Source::nearest);
  CHECK(stages_of(chosen) == 3);
  CHECK_THAT(chosen.note,
             ContainsSubstring("not built into this program") && ContainsSubstring("stages 7"));
  const Chosen none = choose({entries[0]}, key, exists, guess);
  CHECK(none.source == Source::heuristic);
  CHECK_FALSE(none.note.empty());
}

}  // namespace
}  // namespace warpline::tuner::tests
