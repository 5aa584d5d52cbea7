// Results of bench matmul: kept across runs, merged, reported without a GPU.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "samples/bench/matmul/means.h"
#include "samples/bench/matmul/report.h"
#include "samples/bench/result_file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "warpline/error.h"

namespace bench {
namespace {

using Catch::Matchers::ContainsSubstring;
using warpline::tests::TemporaryFolder;

Row row(const Shape& shape, double to_default, double to_best,
        const std::string& date = "2026-11-30T00:00:00Z") {
  const double ours = 0.5;
  return {.shape = shape,
          .place = {"H200", "580.1", "b1"},
          .date = date,
          .choice = "a kernel",
          .vendor = "cublasLt 1",
          .vendor_best = 3,
          .correct = true,
          .relative_error = 2e-4,
          .compared_rows = 64,
          .vendor_difference = 1e-5,
          .cool = RowSpeed{.milliseconds = ours,
                           .default_milliseconds = ours * to_default,
                           .best_milliseconds = ours * to_best,
                           .ratio_to_default = to_default,
                           .ratio_to_best = to_best,
                           .sm_clock_mhz = 1980,
                           .pairs = 50},
          .sustained = {}};
}

const Shape small{"small", 16, 1024, 512};
const Shape large{"large", 1024, 1024, 512};

TEST_CASE("bench results: a row survives the file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.json");
  const Row written = row(small, 1.5, 1.25);
  {
    ResultFile results(path, "matmul");
    CHECK(results.rows().empty());
    results.put(json_of(written));
    results.put(json_of(row(large, 1, 1)));
    results.put(json_of(row(large, 2, 2)));  // in place of the one before
  }
  const ResultFile results(path, "matmul");
  REQUIRE(results.rows().size() == 2);
  CHECK(results.find(key_of(large, written.place, {.kernel = "other"})) == nullptr);
  CHECK(results.find(key_of(large, {"H200", "580.1", "b2"}, {})) == nullptr);
  const Json* const found = results.find(key_of(small, written.place, {}));
  REQUIRE(found != nullptr);
  CHECK(json_of(row_of(*found)) == json_of(written));
  CHECK(row_of(*found).shape == small);
  CHECK(row_of(*results.find(key_of(large, written.place, {}))).cool->ratio_to_best == 2);
  // Only the file itself is left.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")),
                      std::filesystem::directory_iterator{}) == 1);
}

TEST_CASE("bench results: an error that is not a number is none") {
  Row wrong = row(small, 1, 1);
  wrong.correct = false;
  wrong.relative_error = std::nan("");
  const Row read = row_of(Json::parse(json_of(wrong).dump()));
  CHECK_FALSE(read.relative_error.has_value());
  CHECK_FALSE(read.correct);
}

TEST_CASE("bench results: what is no such file is left alone") {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& text, const std::string& words) {
    const std::string path = folder.file("other.json");
    std::ofstream(path) << text;
    INFO(text);
    CHECK_THROWS_WITH(ResultFile(path, "matmul"), ContainsSubstring(words));
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
  };
  refuses("not json", "holds no results of bench matmul");
  refuses("", "holds no results of bench matmul");
  refuses(R"({"format": "warpline bench rows", "version": 1, "rows": []})", "holds no results");
  refuses(R"({"format": "warpline bench matmul", "version": 9, "rows": []})", "is of version 9");
  refuses(R"({"format": "warpline bench matmul", "version": 1, "rows": [{}]})", "is damaged");
  CHECK_THROWS_AS(ResultFile(folder.file("no/such/folder.json"), "matmul"), warpline::Error);
  CHECK_THROWS_WITH(ResultFile("/dev/null", "matmul"), ContainsSubstring("is no plain file"));
  CHECK_THROWS_WITH(read_results({folder.file("missing.json")}, "matmul"),
                    ContainsSubstring("cannot be read"));
  CHECK_THROWS_WITH(row_of(Json{{"key", Json::object()}}), ContainsSubstring("is damaged"));
}

TEST_CASE("bench results: shards make one table, the latest of each shape") {
  const TemporaryFolder folder;
  ResultFile first(folder.file("1.json"), "matmul");
  first.put(json_of(row(small, 1, 1, "2026-11-30T02:00:00Z")));
  ResultFile second(folder.file("2.json"), "matmul");
  second.put(json_of(row(small, 3, 3, "2026-11-30T01:00:00Z")));
  second.put(json_of(row(large, 4, 4)));
  for (const auto& files : {std::vector{folder.file("1.json"), folder.file("2.json")},
                            std::vector{folder.file("2.json"), folder.file("1.json")}}) {
    std::vector<Row> rows;
    for (const Json& json : read_results(files, "matmul")) {
      rows.push_back(row_of(json));
    }
    REQUIRE(rows.size() == 2);
    const Row& same = rows[0].shape == small ? rows[0] : rows[1];
    CHECK(same.cool->ratio_to_best == 1);
  }
  // Another build's row of the same shape: the latest counts.
  Row rebuilt = row(small, 5, 5, "2026-11-30T03:00:00Z");
  rebuilt.place.build = "b2";
  const auto latest = latest_of({row(small, 1, 1), row(large, 2, 2), rebuilt});
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].place.build == "b2");
}

TEST_CASE("bench report: means, the shapes that are behind, rates") {
  CHECK_FALSE(geometric_mean({}).has_value());
  CHECK(*geometric_mean({1, 4}) == Approx(2));
  Row wrong = row({"wrong", 8, 8, 8}, 100, 100);
  wrong.correct = false;
  wrong.complaint = "it is not right";
  const std::vector<Row> rows{row(small, 2, 0.9), row(large, 8, 1.6), wrong};
  const std::string text = summary_of(rows);
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("2     4.000     1.200     0.900       1"));  // of all
  CHECK_THAT(text, ContainsSubstring("below 0.95 of the vendor's best:\n  0.900  small fp16"));
  CHECK_THAT(text, ContainsSubstring("2 of 3 shapes correct"));
  // 2 x 1024 x 1024 x 512 in half a millisecond; 16 rows of 512 and 1024, and 1024 of 512.
  CHECK(tflops(large, 0.5) == Approx(2.147).epsilon(1e-3));
  CHECK(gigabytes_per_second(small, 0.5) == Approx(2.195).epsilon(1e-3));
  CHECK_THAT(line_of(rows[0], true), ContainsSubstring("1980  a kernel"));
  CHECK_THAT(line_of(wrong, true), ContainsSubstring("WRONG: it is not right"));
  CHECK_THAT(sources_of(rows), ContainsSubstring("3 rows from H200, driver 580.1"));
}

TEST_CASE("bench report: the picture has a line for each row and dots for the correct ones") {
  Row wrong = row({"wrong<&>", 8, 8, 8}, 100, 100);
  wrong.correct = false;
  const std::string svg = svg_of({row(small, 2, 0.9), row(large, 8, 1.6), wrong});
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  CHECK(count("<circle class=\"first\"") == 1 + 2);  // one is the legend's
  CHECK(count("<circle class=\"second\"") == 1 + 2);
  CHECK(count("wrong&lt;&amp;&gt; fp16") == 1);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("bench results: a sweep's row survives, its best and the model's loss are told") {
  // Not one initialiser: g++ 12 takes a list of them for uninitialised strings.
  Candidate fast;
  fast.how = {"fast", 4, 8};
  fast.milliseconds = 0.1;
  fast.stages = 3;
  fast.how.nondeterministic = true;
  Candidate broken;
  broken.how = {"broken", 1, 0};
  broken.complaint = "wrong";
  Candidate chosen;
  chosen.milliseconds = 0.11;
  chosen.stages = 3;
  SweepRow sweep{.shape = large,
                 .place = {"H200", "580.1", "b1"},
                 .date = "d",
                 .vendor = "cublasLt 1",
                 .default_milliseconds = 0.3,
                 .best_milliseconds = 0.2,
                 .candidates = {fast, broken},
                 .chosen = chosen,
                 .nondeterministic = true,
                 .complete = true};
  const Json json = Json::parse(json_of(sweep).dump());
  CHECK(is_sweep(json));
  CHECK_FALSE(is_sweep(json_of(row(large, 1, 1))));
  CHECK(json_of(sweep_row_of(json)) == json);
  CHECK(json.at("key") != key_of_sweep(sweep.shape, sweep.place, false));
  const std::string line = line_of(sweep);
  INFO(line);
  CHECK_THAT(line,
             ContainsSubstring(
                 "3.000  2.000  1.100  fast, 4 splits added in any order, raster 8; 1 WRONG"));
  CHECK_THAT(summary_of(std::vector{sweep}), ContainsSubstring("1.100 of the cost model's"));
}

}  // namespace
}  // namespace bench
