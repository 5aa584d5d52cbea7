// Reductions on the simulator: one segment and many, aligned and not, on every policy.
#include "tests/kernels/reduce_checks.h"
#include "tests/support/schedules.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr ElementType types[] = {ElementType::fp16, ElementType::bf16, ElementType::fp32};
constexpr ReduceKind kinds[] = {ReduceKind::sum, ReduceKind::minimum, ReduceKind::maximum,
                                ReduceKind::norm};

TEST_CASE("reduce: every kind and type, one segment and many") {
  unsigned seed = 0;
  for (const ReduceKind kind : kinds) {
    for (const std::int64_t columns : {0, 1, 5, 8, 1000, 4096, 8193, 30000}) {
      for (const std::int64_t rows : {1, 3}) {
        ++seed;
        check_reduction(
            {.kind = kind,
             .type = types[seed % 3],
             .out_type = types[seed / 3 % 3],
             .x = {.rows = rows, .columns = columns, .padding = seed % 4 * 3, .offset = seed % 2}},
            Stream{.options = {.seed = seed}}, seed);
      }
    }
  }
}

TEST_CASE("reduce: integers wrap around") {
  unsigned seed = 100;
  for (const std::int64_t count : {1, 3, 4, 4095, 4096, 5000, 100000}) {
    for (const std::int64_t offset : {0, 1, 3}) {
      ++seed;
      check_integer_sum(count, offset, Stream{.options = {.seed = seed}}, seed);
    }
  }
}

TEST_CASE("reduce: every policy") {
  unsigned seed = 200;
  for (const simulator::Policy policy : every_policy) {
    for (int run = 0; run < 10; ++run) {
      ++seed;
      check_reduction({.kind = kinds[seed % 4],
                       .type = types[seed % 3],
                       .x = {.rows = 2, .columns = 20001, .offset = 1}},
                      Stream{.options = {.seed = seed, .policy = policy}}, seed);
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
