// Which operands share memory.
#include "matmul/region.h"
#include "tests/support/catch.h"
#include "warpline/error.h"

namespace warpline::tests {
namespace {

// Addresses are only compared.
const void* address(std::uintptr_t at) { return reinterpret_cast<const void*>(at); }

Region matrix(std::uintptr_t at, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
              std::int64_t column_stride = 1, std::int64_t batch = 1,
              std::int64_t batch_stride = 0) {
  return {.name = "X",
          .data = address(at),
          .element_bytes = 2,
          .dimension = {{rows, row_stride}, {columns, column_stride}, {batch, batch_stride}}};
}

TEST_CASE("regions one after the other share nothing") {
  CHECK_FALSE(may_overlap(matrix(1000, 4, 10, 10), matrix(1080, 4, 10, 10)));
  CHECK(may_overlap(matrix(1000, 4, 10, 10), matrix(1078, 4, 10, 10)));
  CHECK(may_overlap(matrix(1078, 4, 10, 10), matrix(1000, 4, 10, 10)));
}

TEST_CASE("columns of one matrix share nothing") {
  CHECK_FALSE(may_overlap(matrix(1000, 50, 32, 16), matrix(1032, 50, 32, 16)));
  CHECK_FALSE(may_overlap(matrix(1032, 50, 32, 16), matrix(1000, 50, 32, 16)));
  CHECK(may_overlap(matrix(1000, 50, 32, 17), matrix(1032, 50, 32, 16)));
  CHECK(may_overlap(matrix(1000, 50, 32, 16), matrix(1030, 50, 32, 16)));
  // Rows that are interleaved: even and odd ones, of a batch of such.
  CHECK_FALSE(may_overlap(matrix(1000, 5, 64, 32, 1, 3, 640), matrix(1064, 5, 64, 32, 1, 3, 640)));
  CHECK(may_overlap(matrix(1000, 5, 64, 33, 1, 3, 640), matrix(1064, 5, 64, 32, 1, 3, 640)));
}

TEST_CASE("regions of different strides are taken to overlap where they lie among each other") {
  CHECK(may_overlap(matrix(1000, 50, 32, 16), matrix(1032, 50, 33, 16)));
}

TEST_CASE("a region whose indices meet") {
  CHECK_FALSE(overlaps_itself(matrix(0, 5, 10, 10)));
  CHECK(overlaps_itself(matrix(0, 5, 9, 10)));
  CHECK(overlaps_itself(matrix(0, 5, 0, 10)));
  CHECK_FALSE(overlaps_itself(matrix(0, 1, 0, 10)));
  CHECK_FALSE(overlaps_itself(matrix(0, 5, 30, 10, 1, 3, 10)));
  CHECK(overlaps_itself(matrix(0, 5, 30, 10, 1, 4, 10)));
}

TEST_CASE("regions that no address reaches") {
  CHECK_NOTHROW(check_span(matrix(1000, 1 << 20, 1 << 20, 1 << 20)));
  CHECK_THROWS_AS(check_span(matrix(1000, 1 << 30, std::int64_t{1} << 40, 8)), Error);
  CHECK_THROWS_AS(check_span(matrix(1000, 1 << 30, std::int64_t{1} << 31, 8)), Error);
}

TEST_CASE("among many regions the ones that overlap are found") {
  std::vector<Region> outputs;
  std::vector<Region> inputs;
  for (int i = 0; i < 100; ++i) {
    // In no order, with gaps of 100 bytes.
    const auto at = static_cast<std::uintptr_t>(1000 + i * 37 % 100 * 300);
    outputs.push_back(matrix(at, 10, 10, 10));
    inputs.push_back(matrix(at + 200, 5, 10, 10));
  }
  CHECK_NOTHROW(check_overlaps(outputs, inputs));
  auto wrong = inputs;
  wrong[61] = matrix(1000 + 50 * 300 + 198, 5, 10, 10);
  CHECK_THROWS_AS(check_overlaps(outputs, wrong), Error);
  auto twice = outputs;
  twice.push_back(matrix(1000 + 99 * 300 + 198, 1, 10, 10));
  CHECK_THROWS_AS(check_overlaps(twice, inputs), Error);
  // A long one around others, told apart by its stride.
  auto around = outputs;
  around = {matrix(1000, 200, 50, 20)};
  CHECK_NOTHROW(check_overlaps(around, {matrix(1040, 100, 50, 30)}));
  CHECK_THROWS_AS(check_overlaps(around, {matrix(1040, 100, 50, 31)}), Error);
}

TEST_CASE("an input that is read in place may be the output") {
  Region d = matrix(1000, 10, 10, 10);
  d.name = "D";
  Region c = d;
  c.name = "C";
  CHECK_THROWS_AS(check_overlaps({d}, {c}), Error);
  c.read_in_place = true;
  CHECK_NOTHROW(check_overlaps({d}, {c}));
  c.dimension[0].stride = 11;
  CHECK_THROWS_AS(check_overlaps({d}, {c}), Error);
}

}  // namespace
}  // namespace warpline::tests
