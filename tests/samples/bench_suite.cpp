// The shapes of bench matmul: what a suite's file may say, and what the shipped ones do.
#include <algorithm>

#include "samples/bench/matmul/suite.h"
#include "samples/bench/result_file.h"
#include "samples/support/usage_error.h"
#include "tests/support/catch.h"

namespace bench {
namespace {

using Catch::Matchers::ContainsSubstring;
using sample::UsageError;
using warpline::ElementType;

const std::vector<ElementType> fp16{ElementType::fp16};
const std::vector<ElementType> both{ElementType::fp16, ElementType::bf16};

TEST_CASE("bench suite: shapes, types, names, comments") {
  const auto shapes = parse_suite(
      "# a comment\n\n  1 2 3\n4 5 6 bf16 # another\n7 8 9 seven\n10 11 12 fp16 ten\n", "s", both);
  const std::vector<Shape> expected{
      {"1x2x3", 1, 2, 3, ElementType::fp16},  {"seven", 7, 8, 9, ElementType::fp16},
      {"ten", 10, 11, 12, ElementType::fp16}, {"1x2x3", 1, 2, 3, ElementType::bf16},
      {"4x5x6", 4, 5, 6, ElementType::bf16},  {"seven", 7, 8, 9, ElementType::bf16}};
  CHECK(shapes == expected);
  CHECK(parse_shapes("1x2x3,4x5x6", fp16).size() == 2);
}

TEST_CASE("bench suite: a bad line is one error that says where") {
  const auto refuses = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK_THROWS_WITH(parse_suite(text, "s.txt", fp16), ContainsSubstring(words));
    CHECK_THROWS_AS(parse_suite(text, "s.txt", fp16), UsageError);
  };
  refuses("1 2 3\n1 2\n", "s.txt:2: a line is");
  refuses("0 2 3\n", "s.txt:1: M is '0'");
  refuses("1 -2 3\n", "N is '-2'");
  refuses("1 2 three\n", "K is 'three'");
  refuses("1 2 99999999999\n", "K is '99999999999'");
  refuses("1 2 3 fp16 name more\n", "'more' is too much");
  refuses("1 2 3\n# \n1 2 3 name\n", "1 x 2 x 3 is there twice");
  refuses("# nothing\n", "there are no shapes");
  CHECK_THROWS_WITH(parse_shapes("1x2", fp16), ContainsSubstring("'1x2' is not MxNxK"));
  CHECK_THROWS_WITH(parse_shapes("1x2x3x", fp16), ContainsSubstring("'1x2x3x' is not MxNxK"));
  CHECK_THROWS_WITH(parse_shapes("1x2x3,", fp16), ContainsSubstring("'' is not MxNxK"));
  CHECK_THROWS_WITH(read_suite("nothing", fp16),
                    ContainsSubstring("suites are full, smoke, unaligned"));
  CHECK_THROWS_WITH(parse_types("fp8"), ContainsSubstring("'fp8' is not fp16 or bf16"));
  CHECK(parse_types("bf16,fp16,bf16") ==
        std::vector<ElementType>{ElementType::bf16, ElementType::fp16});
}

TEST_CASE("bench suite: the shipped ones") {
  const auto full = read_suite("full", both);
  CHECK(full.size() == 2 * 86);
  const auto has = [&](std::int64_t m, std::int64_t n, std::int64_t k, ElementType type) {
    return std::any_of(full.begin(), full.end(), [&](const Shape& shape) {
      return shape.m == m && shape.n == n && shape.k == k && shape.type == type;
    });
  };
  for (const ElementType type : both) {
    for (const std::int64_t m : {1, 4, 16, 64, 128, 512, 2048, 8192}) {
      CHECK(has(m, 8192, 8192, type));
      CHECK(has(m, 57344, 8192, type));
      CHECK(has(m, 4096, 14336, type));
    }
    CHECK(has(16384, 16384, 16384, type));
    CHECK(has(2047, 2049, 2051, type));
    CHECK(has(128, 2112, 7168, type));
  }
  for (const Shape& shape : read_suite("smoke", both)) {
    CHECK(shape.multiplications() < 1 << 28);  // what the simulator takes
  }
  for (const Shape& shape : read_suite("unaligned", both)) {
    CHECK(shape.k % 8 != 0);
  }
}

TEST_CASE("bench shards: each shape in one of them") {
  for (std::size_t number = 0; number < 20; ++number) {
    int found = 0;
    for (const char* text : {"1/3", "2/3", "3/3"}) {
      found += parse_shard(text).has(number) ? 1 : 0;
    }
    CHECK(found == 1);
  }
  for (const char* text : {"", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "/"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_shard(text), UsageError);
  }
}

}  // namespace
}  // namespace bench
